/** Commander's own texts in a language other than English: the headings of help, and the errors of a command line. */
import { t, translatable, translated } from "./core/language/translate.ts";
import { widthOf } from "./views/columns.ts";

const titles = translatable(["Usage:", "Arguments:", "Options:", "Commands:"]);

const placeholders = (line: string): string =>
  line.replace("[options]", t`[options]`).replace("[command]", t`[command]`);

/** Named as in commander. */
const help = {
  styleTitle: (title: string): string => translated(titles.find((one) => one === title) ?? title),
  styleUsage: placeholders,
  styleSubcommandTerm: placeholders,
  styleOptionDescription: (about: string): string =>
    about.replace(/ \(default: (.*)\)$/, (_, value: string) => t` (default: ${value})`),
  displayWidth: widthOf,
  boxWrap: (text: string, width: number): string => wrapped(text, width).join("\n"),
};

/** Wraps the text, between two Chinese characters, too; closing punctuation stays with its word. */
function wrapped(text: string, width: number): string[] {
  const chunks =
    text.match(/\s*[（“]*(?:\p{sc=Han}|[^\s\p{sc=Han}，。：；、？！（）“”]+|.)[，。：；、？！）”]*/gu) ?? [];
  return chunks.reduce<string[]>((lines, chunk) => {
    const [last = "", ...others] = lines.toReversed();
    return widthOf(last + chunk) <= width
      ? [...others.toReversed(), last + chunk]
      : [...lines, chunk.trimStart()];
  }, []);
}

/** `{0}` stands for a value. If two texts fit, the more specific one comes first. */
const faults = translatable([
  "error: unknown option '{0}'",
  "error: unknown command '{0}'",
  "error: missing required argument '{0}'",
  "error: option '{0}' argument missing",
  "error: required option '{0}' not specified",
  "error: too many arguments for '{0}'. Expected {1} argument but got {2}: {3}.",
  "error: too many arguments for '{0}'. Expected {1} arguments but got {2}: {3}.",
]);

const patterns = faults.map((fault) => {
  const pattern = fault.replaceAll(/[().]/g, String.raw`\$&`).replaceAll(/\{\d\}/g, "(.*)");
  return { fault, pattern: new RegExp(`^${pattern}$`) };
});

function faultWords(line: string): string {
  const match = patterns.find(({ pattern }) => pattern.test(line));
  const [, ...values] = match?.pattern.exec(line) ?? [];
  return match
    ? translated(match.fault).replaceAll(/\{(\d)\}/g, (_, index: string) => values[Number(index)] ?? "")
    : line;
}

export const usage = { help, faultWords };
export type Usage = typeof usage;
