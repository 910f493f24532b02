/** Looks for secrets in all objects that would leave, by the rules of secretlint. */
import type { Found } from "../../core/carry/outcome.ts";
import { scanCharsMax, secretsNamedMax } from "../../core/limits.ts";
import { broughtBy, objectsLeaving, textOf } from "../../git/carry/leaving.ts";
import type { Leaving } from "../../git/carry/leaving.ts";
import type { Git } from "../../git/git.ts";

/** Finds the lines of a text that hold a secret. */
type Scanner = (text: string, path: string) => Promise<{ rule: string; line: number }[]>;

/** `allowed`: the beginnings of objects that a person has looked at. */
export async function secretsLeaving(
  git: Git,
  { tips, held, allowed }: { tips: readonly string[]; held: readonly string[]; allowed: readonly string[] },
): Promise<Found[]> {
  const scan = await scanner();
  const found: Found[] = [];
  const objects = await objectsLeaving(git, tips, held);
  for (const leaving of objects) {
    const { object } = leaving;
    if (allowed.some((begin) => begin.length >= 7 && object.startsWith(begin))) continue;
    for (const one of await scanObject(git, leaving, scan)) {
      if (found.length === secretsNamedMax) return found;
      found.push({ ...one, where: await placeOf(git, leaving, tips), object: object.slice(0, 12) });
    }
  }
  return found;
}

/** Scans the name of a file or folder, too. */
async function scanObject(
  git: Git,
  { object, path }: Leaving,
  scan: Scanner,
): Promise<{ rule: string; line: number }[]> {
  const text = await textOf(git, object);
  const named = path === "" ? [] : (await scan(path, "")).map(({ rule }) => ({ rule, line: 0 }));
  const found: { rule: string; line: number }[] = [...named];
  let line = 0;
  // A part begins with the end of the one before, which a secret may span.
  for (const part of partsOf(text ?? "")) {
    for (const one of await scan(part.text, path)) found.push({ rule: one.rule, line: line + one.line });
    line += part.text.slice(0, part.next).split("\n").length - 1;
  }
  const once = new Map(found.map((one) => [`${one.rule} ${one.line}`, one]));
  return [...once.values()];
}

/** `next`: where in this part the next one begins. */
function partsOf(text: string): { text: string; next: number }[] {
  const step = scanCharsMax - overlap;
  const parts = Math.max(1, Math.ceil((text.length - overlap) / step));
  return Array.from({ length: parts }, (_, at) => ({
    text: text.slice(at * step, at * step + scanCharsMax),
    next: step,
  }));
}

/** A private key of 8,192 bits has some 6,400 characters. */
const overlap = 8_192;

async function placeOf(git: Git, { object, path }: Leaving, tips: readonly string[]): Promise<string> {
  if (path === "") return `commit ${object.slice(0, 12)}`;
  for (const tip of tips) {
    const commit = await broughtBy(git, tip, object);
    if (commit !== undefined) return `${path} (${commit})`;
  }
  return path;
}

async function scanner(): Promise<Scanner> {
  const [{ lintSource }, preset] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
  ]);
  // A comment of an agent's would silence the scan.
  const known = preset.rules.filter(({ meta }) => !meta.id.endsWith("filter-comments"));
  const rules = known.map((rule) => ({ id: rule.meta.id, rule }));
  const options = { config: { rules }, noPhysicFilePath: true, maskSecrets: true };
  return async (content, path) => {
    const ext = /\.\w+$/.exec(path)?.[0] ?? "";
    const source = { content, filePath: path || "text", ext, contentType: "text" as const };
    const { messages } = await lintSource({ source, options });
    return messages.map(({ ruleId, loc }) => ({
      rule: ruleId.replace("@secretlint/secretlint-rule-", ""),
      line: loc.start.line,
    }));
  };
}
