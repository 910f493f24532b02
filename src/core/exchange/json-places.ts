/** JSON with the place of each value: for errors with lines, and for edits that keep every other byte. */
import { parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Fault } from "../error/fault.ts";
import { isNestedDeeper } from "../text/json-depth.ts";
import { lineDepthMax } from "../limits.ts";
import { t } from "../language/translate.ts";

/** A value of a JSON text, with its offset and length in UTF-16 units; the members of an object are its `children`. */
export type JsonNode = Node;

/** The value of a whole JSON text, a BOM left aside, and comments where they are allowed; or what is wrong with it. */
export function parseJson(
  text: string,
  { comments = false }: { comments?: boolean } = {},
): { root: JsonNode } | { fault: Fault } {
  // A blank in the place of the BOM keeps the offsets.
  const json = text.replace(/^\uFEFF/, " ");
  if (isNestedDeeper(json.trimStart(), lineDepthMax))
    return invalid(1, t`nested deeper than ${lineDepthMax} levels`);
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { disallowComments: !comments });
  const error = errors[0];
  if (root && !error) return { root };
  const code = error ? printParseErrorCode(error.error) : "ValueExpected";
  const words = code.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  return invalid(lineAt(text, error?.offset ?? 0), words);
}

function invalid(line: number, what: string): { fault: Fault } {
  return {
    fault: { line, message: t`invalid JSON: ${what}`, hint: t`fix it there; an editor marks the place` },
  };
}

/** From 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** A member's value. Of a key that is there twice the last one counts, as for every parser. */
export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  if (object.type !== "object") return undefined;
  return object.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
}
