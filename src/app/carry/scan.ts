/** Looks for secrets in all objects that would leave, by the rules of secretlint. */
import { basename } from "node:path";
import { notScanned } from "../../core/carry/outcome.ts";
import type { Found, Words } from "../../core/carry/outcome.ts";
import { t } from "../../core/language/translate.ts";
import { scanBytesMax, scanCharsMax, scanTellMin, secretsNamedMax } from "../../core/carry/limits.ts";
import { firstWith, heldHere, namesLeaving, objectsLeaving, readObject } from "../../git/carry/leaving.ts";
import type { Read } from "../../git/carry/leaving.ts";
import type { Git } from "../../git/git.ts";
import { io } from "../../io/io.ts";

/** Finds the lines of a text that hold a secret. */
type Scanner = (text: string, path: string) => Promise<{ rule: string; line: number }[]>;

/** A part of an object. `before`: the lines of the object before it; undefined for the names of the files that a commit changes. */
type Part = { read: Read; text: string; before: number | undefined };

export type Leaves = {
  tips: readonly string[];
  held: readonly string[];
  /** The beginnings of objects that a person has looked at. */
  allowed: readonly string[];
  /** What a commit holds that is none of the work. */
  wordsOf(commit: string): Words | undefined;
};

export async function secretsLeaving(git: Git, { tips, held, allowed, wordsOf }: Leaves): Promise<Found[]> {
  const scan = await scanner();
  const known = await heldHere(git, held);
  const objects = (await objectsLeaving(git, tips, known)).filter(
    ({ object }) => !allowed.some((begin) => object.startsWith(begin)),
  );
  if (objects.length >= scanTellMin)
    io().stderr.write(t`looks for secrets in ${objects.length.toLocaleString("en")} objects\n`);
  const names = await namesLeaving(git, tips, known);
  const found = new Map<string, Found>();
  const add = async ({ object, path, type }: Read, { rule, line }: { rule: string; line: number }) => {
    const key = `${object} ${rule} ${path} ${line}`;
    // A file that was removed, and comes back, is there already.
    if (found.has(key) || (type !== "commit" && (await firstWith(git, object, { tips: known })))) return;
    const short = object.slice(0, 12);
    const by = type === "commit" ? object : await firstWith(git, object, { tips, known });
    const of = by === undefined ? undefined : wordsOf(by);
    const named = by === undefined || of ? path : `${path} (${by.slice(0, 12)})`;
    const where = path === "" ? `commit ${short}` : named;
    found.set(key, { rule, where, line, object: short, ...(of && { of }) });
  };
  let parts: Part[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    const scanned = parts;
    [parts, chars] = [[], 0];
    for (const one of await scan(scanned.map(({ text }) => text).join("\n"), "")) {
      let { line } = one;
      const hit = scanned.find(({ text }) => {
        const lines = text.split("\n").length;
        if (line <= lines) return true;
        line -= lines;
        return false;
      });
      if (!hit) continue;
      const { read, text, before } = hit;
      if (before === undefined)
        await add({ ...read, path: text.split("\n")[line - 1]! }, { ...one, line: 0 });
      else await add(read, { ...one, line: before + line });
    }
  };
  for (let at = 0; at < objects.length; at += readAtOnce) {
    const some = objects.slice(at, at + readAtOnce);
    for (const read of await Promise.all(some.map(async (one) => readObject(git, one, scanBytesMax)))) {
      if (found.size >= secretsNamedMax) return [...found.values()].slice(0, secretsNamedMax);
      if (!read.content) await add(read, { rule: notScanned, line: 0 });
      // Some rules are for a format that the file's name shows; each scan has a cost, whatever its length.
      else if (hasFormat(read)) {
        const name = basename(read.path);
        for (const one of await scan(read.content.toString(), name)) await add(read, one);
      }
      const named = names.get(read.object) ?? "";
      for (const part of [
        ...partsOf(read),
        ...(named === "" ? [] : [{ read, text: named, before: undefined }]),
      ]) {
        if (chars + part.text.length > scanCharsMax) await flush();
        parts.push(part);
        chars += part.text.length;
      }
    }
  }
  await flush();
  return [...found.values()].slice(0, secretsNamedMax);
}

function hasFormat({ path, content }: Read): boolean {
  if (/(?:package(?:-lock)?\.json|\.npmrc)$/.test(path)) return true;
  return path.endsWith(".json") && content?.includes('"private_key"') === true;
}

/** Objects that are read at once. */
const readAtOnce = 64;

/** The parts of a file or commit: each begins with the end of the one before, which a secret may span. */
function partsOf(read: Read): Part[] {
  const { type, content } = read;
  if (!content || type === "tree") return [];
  const plain = content.toString();
  // UTF-16 has a zero in each character of a token.
  const texts = plain.includes("\0") ? [plain, plain.replaceAll("\0", "")] : [plain];
  return texts.flatMap((text) => {
    const step = scanCharsMax - overlap;
    let before = 0;
    return Array.from({ length: Math.max(1, Math.ceil((text.length - overlap) / step)) }, (_, at) => {
      const part = { read, text: text.slice(at * step, at * step + scanCharsMax), before };
      before += part.text.slice(0, step).split("\n").length - 1;
      return part;
    });
  });
}

/** A private key of 8,192 bits has some 6,400 characters. */
const overlap = 8_192;

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
