/** Adds a monoco hook to an agent's JSON settings or removes it; every other byte stays. */
import type { Fault } from "../error/fault.ts";
import { lineAt, memberOf, parseJson } from "../exchange/json-places.ts";
import type { JsonNode } from "../exchange/json-places.ts";
import { t } from "../language/translate.ts";

/** A command that an agent runs at an event, in the form of Claude Code, Codex and Gemini CLI. */
export type Hook = { type: "command"; command: string; timeout: number; name?: string };
export type HookAt = { event: string; hook: Hook };

/** Whether the agent allows comments in its settings, and the pattern of monoco's own hook commands. */
export type Dialect = { comments: boolean; ours: RegExp };

export type Edited = { text: string } | { fault: Fault };

/** The settings with the hook appended to its event; unchanged if one of monoco's hooks is there. */
export function addHook(text: string | undefined, { event, hook }: HookAt, dialect: Dialect): Edited {
  const entry = { hooks: [hook] };
  if (text === undefined)
    return { text: `${JSON.stringify({ hooks: { [event]: [entry] } }, undefined, 2)}\n` };
  const read = readHooks(text, event, dialect);
  if ("fault" in read) return read;
  if (read.places.length > 0) return { text };
  const { root, hooks, list } = read;
  if (list) return { text: withChild(text, list, { value: entry }) };
  if (hooks) return { text: withChild(text, hooks, { key: event, value: [entry] }) };
  return { text: withChild(text, root, { key: "hooks", value: { [event]: [entry] } }) };
}

/** The settings without monoco's hooks, and without lists and objects that become empty. */
export function removeHook(text: string, event: string, dialect: Dialect): Edited {
  const read = readHooks(text, event, dialect);
  if ("fault" in read) return read;
  let left = text;
  // Later hooks go first, which keeps the places of the earlier ones valid.
  for (const { entry, hook, others } of read.places.toReversed())
    left = without(left, ["hooks", event, entry, ...(others ? ["hooks", hook] : [])], dialect);
  for (const path of read.places.length > 0 ? [["hooks", event], ["hooks"]] : []) {
    const root = parsed(left, dialect);
    const node = "root" in root ? path.reduce<JsonNode | undefined>(childAt, root.root) : undefined;
    if (node?.children?.length === 0) left = without(left, path, dialect);
  }
  return { text: left };
}

/** The place of one of monoco's hooks: the indices of entry and hook, and whether the entry also has hooks of others. */
type Place = { entry: number; hook: number; others: boolean };

type Read = { places: Place[]; root: JsonNode; hooks: JsonNode | undefined; list: JsonNode | undefined };

function readHooks(text: string, event: string, dialect: Dialect): Read | { fault: Fault } {
  const read = parsed(text, dialect);
  if ("fault" in read) return read;
  const { root } = read;
  const wrong = (node: JsonNode, what: string): { fault: Fault } => ({
    fault: {
      line: lineAt(text, node.offset),
      message: t`${what}, got ${node.type}`,
      hint: t`fix it there: the agent itself does not read it`,
    },
  });
  if (root.type !== "object") return wrong(root, t`expected an object of settings`);
  const hooks = memberOf(root, "hooks");
  if (hooks && hooks.type !== "object") return wrong(hooks, t`hooks: expected an object`);
  const list = hooks && memberOf(hooks, event);
  if (list && list.type !== "array") return wrong(list, t`hooks.${event}: expected a list`);
  const places = (list?.children ?? []).flatMap((entry, at) => oursIn(entry, at, dialect));
  return { places, root, hooks, list };
}

function oursIn(entry: JsonNode, at: number, { ours }: Dialect): Place[] {
  const hooks = memberOf(entry, "hooks")?.children ?? [];
  const isOurs = hooks.map((hook) => ours.test(String(memberOf(hook, "command")?.value ?? "")));
  const others = isOurs.includes(false);
  const places = isOurs.flatMap((own, hook) => (own ? [{ entry: at, hook, others }] : []));
  // An entry with only monoco's hooks is removed once, as a whole.
  return others ? places : places.slice(0, 1);
}

function parsed(text: string, { comments }: Dialect): ReturnType<typeof parseJson> {
  return parseJson(text, { comments });
}

/** `json` with a new last child in one of its objects or lists, indented like its siblings; nothing else moves. */
function withChild(json: string, into: JsonNode, child: { key?: string; value: unknown }): string {
  const eol = json.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)\S/m.exec(json)?.[1] ?? "  ";
  const inside = json.slice(into.offset + 1, into.offset + into.length - 1);
  const last = into.children?.at(-1);
  const outer = indentAt(json, into.offset);
  const isOpen = inside.includes("\n") || (into.parent === undefined && !last);
  const inner = last && isOpen ? indentAt(json, last.offset) : outer + unit;
  const value = JSON.stringify(child.value, undefined, isOpen ? unit : undefined);
  const text = `${child.key === undefined ? "" : `${JSON.stringify(child.key)}: `}${value}`;
  const body = text.replaceAll("\n", `${eol}${inner}`);
  const end = last ? last.offset + last.length : into.offset + 1;
  const before = `${last ? "," : ""}${isOpen ? `${eol}${inner}` : last ? " " : ""}`;
  const after = !last && isOpen && !inside.includes("\n") ? `${eol}${outer}` : "";
  return json.slice(0, end) + before + body + after + json.slice(end);
}

/** The indentation of the line at `offset`. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)![0];
}

/** `json` without the value at `path` (a key or an index per step) and its separating comma. */
function without(json: string, path: readonly (string | number)[], dialect: Dialect): string {
  const read = parsed(json, dialect);
  const node = "root" in read ? path.reduce<JsonNode | undefined>(childAt, read.root) : undefined;
  // A member is removed together with its key.
  const child = typeof path.at(-1) === "string" ? node?.parent : node;
  const siblings = child?.parent?.children ?? [];
  const at = child ? siblings.indexOf(child) : -1;
  if (!child?.parent || at === -1) return json;
  const [previous, next] = [siblings[at - 1], siblings[at + 1]];
  const { offset, length } = child.parent;
  const from = previous ? previous.offset + previous.length : next ? child.offset : offset + 1;
  const to = previous || !next ? child.offset + child.length : next.offset;
  const rest = json.slice(to);
  const alone = !previous && !next && json.slice(to, offset + length - 1).trim() === "";
  return json.slice(0, from) + (alone ? rest.trimStart() : rest);
}

function childAt(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  return typeof step === "string" ? node && memberOf(node, step) : node?.children?.[step];
}
