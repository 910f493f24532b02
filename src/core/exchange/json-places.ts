/** Parses JSON with the place of each value, for errors with line numbers and for edits that keep every other byte. */
import { parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Fault } from "../error/fault.ts";
import { isNestedDeeper } from "../text/json-depth.ts";
import { lineDepthMax } from "../limits.ts";
import { t } from "../language/translate.ts";

/** A JSON value with its offset and length in UTF-16 units; an object's members are its `children`. */
export type JsonNode = Node;

/** The root value of a JSON text, or what is wrong with it. A BOM is ignored; comments are an option. */
export function parseJson(
  text: string,
  { comments = false }: { comments?: boolean } = {},
): { root: JsonNode } | { fault: Fault } {
  // A blank in place of the BOM keeps the offsets.
  const json = text.replace(/^\uFEFF/, " ");
  if (isNestedDeeper(json.trimStart(), lineDepthMax))
    return invalid(1, t`nested deeper than ${lineDepthMax} levels`);
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { disallowComments: !comments });
  const error = errors[0];
  if (root && !error) return { root };
  const code = error ? printParseErrorCode(error.error) : "ValueExpected";
  const reason = code.replaceAll(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  return invalid(lineAt(text, error?.offset ?? 0), reason);
}

function invalid(line: number, what: string): { fault: Fault } {
  return {
    fault: { line, message: t`invalid JSON: ${what}`, hint: t`fix it there; an editor marks the place` },
  };
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** The value of a member. If a key is repeated, the last one counts, as in every parser. */
export function memberOf(object: JsonNode, key: string): JsonNode | undefined {
  if (object.type !== "object") return undefined;
  return object.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
}
