/** Weakenings that no single line shows: expected values that follow the code, mocks of what is changed, assertions that nobody hears. */
import type { CodeLine, SourceBlock, SourceDiff } from "./code-diff.ts";
import { isCode } from "./code-file.ts";
import type { Weakening } from "./schema.ts";
import { assertions } from "./test-cases.ts";
import type { WeakeningKind } from "./kinds.ts";

export function acrossLines(files: readonly SourceDiff[]): Weakening[] {
  const sources = files.filter(({ file }) => isCode(file.language) && !file.test && !file.tool && !file.runs);
  const built = files.map(({ diff }) => diff.path).filter((path) => buildFolder.test(path));
  return files
    .filter(({ file, diff }) => file.test && diff.change !== "deleted")
    .flatMap((read) =>
      read.blocks.flatMap((block) => [
        ...(sources.length > 0 ? otherExpectations(read, block) : []),
        ...block.added.filter((line) => mocks(line, sources)).map((line) => told(read, "mocked", line)),
        ...block.added
          .filter((line) => runsBuilt(line, built))
          .map((line) => told(read, "build output", line)),
        ...unheard(read, block).map((line) => told(read, "swallowed", line)),
        ...returns(read, block).map((line) => told(read, "returns early", line)),
      ]),
    );
}

function told(
  { diff }: SourceDiff,
  kind: WeakeningKind,
  { line, text }: CodeLine,
  was?: CodeLine,
): Weakening {
  const now = text.trim().slice(0, was ? 75 : 160);
  return { file: diff.path, line, kind, text: was ? `${was.text.trim().slice(0, 75)} → ${now}` : now };
}

/** An assertion that differs in its texts and numbers alone. */
function otherExpectations(read: SourceDiff, { removed, added }: SourceBlock): Weakening[] {
  const before = Map.groupBy(
    removed.filter((line) => asserts(read, line)),
    shapeOf,
  );
  const next = new Map<string, number>();
  return added
    .filter((line) => asserts(read, line))
    .flatMap((line) => {
      const shape = shapeOf(line);
      const at = next.get(shape) ?? 0;
      next.set(shape, at + 1);
      const was = before.get(shape)?.[at];
      return was && was.text.trim() !== line.text.trim() ? [told(read, "expectation", line, was)] : [];
    });
}

function shapeOf({ code }: CodeLine): string {
  return code
    .trim()
    .replace(/\s+/g, " ")
    .replaceAll(/(?<![\w$])-?\d[\d_]*(?:\.\d+)?/g, "#");
}

function asserts({ file }: SourceDiff, { code }: CodeLine): boolean {
  const pattern = assertions[file.language];
  return pattern !== undefined && code !== "" && code.search(pattern) !== -1;
}

const mocking =
  /(?<!\w)(?:(?:vi|jest|mock|td)\.(?:do)?(?:mock|module|replace|unstable_mockModule|setMock)|mock\.patch|(?:@|\.)patch(?:\.object)?|monkeypatch\.setattr|patch|proxyquire|rewiremock)\s*\(/;

/** `vi.mock("../src/login.js")` where src/login.ts is changed; `patch("app.login.check")` where app/login.py is. */
function mocks({ text }: CodeLine, sources: readonly SourceDiff[]): boolean {
  const call = mocking.exec(text);
  const named = call && /["'`]([^"'`]{1,200})["'`]/.exec(text.slice(call.index))?.[1];
  if (!named) return false;
  const parts = new Set(named.replace(/\.[cm]?[jt]sx?$/, "").split(/[/.]/));
  return sources.some(({ diff }) =>
    parts.has(
      diff.path
        .split("/")
        .at(-1)!
        .replace(/\.[^.]+$/, ""),
    ),
  );
}

const buildFolder = /(?:^|\/)(?:dist|build|out|target|lib-dist)\//;

/** A test of what was built and committed says nothing of the sources. */
function runsBuilt({ text }: CodeLine, built: readonly string[]): boolean {
  const named = /["'`](?:\.{1,2}\/)*([^"'`\s]{1,200})["'`]/.exec(text)?.[1];
  return (
    named !== undefined &&
    buildFolder.test(named) &&
    built.some((path) => path.startsWith(named.split("/")[0]!))
  );
}

/** Further down nobody looks for what belongs to a `try`. */
const tryLinesMax = 50;
const opensTry = /^\s*try\s*(?:[:{]\s*)?$/;
const catches = /^\s*(?:\}\s*)?(?:catch\b|except\b|rescue\b)/;
const caughtHead = /catch\s*(?:\([^)]*\))?|(?:except|rescue)\b[^:]*:?/;
/** In what is done about an error: whoever does one of these has heard it. */
const hears =
  /\b(?:throw|raise|assert\w*|expect\w*|fail\w*|reject\w*|t\.\w+|should\w*|error\w*\s*=|caught|push|append)\b/i;

/** `try { expect(…) } catch {}`. */
function unheard(read: SourceDiff, { added }: SourceBlock): CodeLine[] {
  return added.filter((line, at) => {
    if (!opensTry.test(line.code)) return false;
    const rest = added.slice(at + 1, at + 1 + tryLinesMax);
    const caught = rest.findIndex(({ code }) => catches.test(code));
    if (caught === -1 || !rest.slice(0, caught).some((one) => asserts(read, one))) return false;
    const indent = line.text.search(/\S/);
    const after = rest.slice(caught + 1);
    const end = after.findIndex(({ text }) => text.trim() !== "" && text.search(/\S/) <= indent);
    const body = [
      rest[caught]!.code.replace(caughtHead, ""),
      ...after.slice(0, end === -1 ? 5 : end).map(({ code }) => code),
    ];
    return !body.some((code) => hears.test(code));
  });
}

const aFunction = /=>\s?\{$|\bfunction\b|^\s*(?:\w+\s)?def\s(?!test)|^func\s(?!Test)/;
const aTest = /\b(?:it|test)\b.{0,100}""|def\stest/;
const bareReturn = /^\s*(?:if\b.{0,200}[):] ?\{? ?)?return ?;? ?\}?$/;

/** A bare `return` right below the head of a test, or behind a condition there, with nothing asserted before it. */
function returns(read: SourceDiff, { added }: SourceBlock): CodeLine[] {
  const inFunction = added.findIndex(({ code }) => aFunction.test(code) && !aTest.test(code));
  const asserted = added.findIndex((line) => asserts(read, line));
  const ends = [inFunction, asserted].filter((at) => at !== -1);
  const head = added.slice(0, Math.min(added.length, ...ends));
  return head.filter(({ code, text }) => bareReturn.test(code.trimEnd()) && text.search(/\S/) <= 8);
}
