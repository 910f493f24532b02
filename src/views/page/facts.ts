/** What the dashboard's server sends and its pages show: facts with their words, each text safe to print. */
import type { Item } from "../../core/overview/item.ts";
import type { TimedSession } from "../../core/report/account.ts";
import type { Block } from "./inline.ts";

/** What a person can do with an item. `review` is a page; the others are sent. */
export type Act = "answer" | "say" | "review" | "stop" | "resume";

/** An item of the inbox. */
export type Row = Omit<Item, "priority" | "why" | "untilMs" | "hint"> & {
  /** The root of its repository, and the name of that folder if there are several. */
  repository: string;
  name: string;
  /** Why it is in its group, and the command that deals with it. */
  text: string;
  command: string;
  acts: Act[];
};

export type InboxFacts = {
  atMs: number;
  repositories: {
    name: string;
    root: string;
    head: [name: string, text: string][];
    fault: string | null;
    /** The fleet in lines; one line if there is nothing to list, none without a database. */
    fleet: string[];
  }[];
  rows: Row[];
};

/** A session of a relay, with its place in time. */
export type SessionFacts = TimedSession & {
  /** Context tokens as the agent reported them, in order; and the three marks in tokens. */
  curve: number[];
  marks: readonly number[];
  /** All tokens that it used, in and out. */
  tokens?: number | null;
};

export type MomentFacts = { seq: number; atMs: number; text: string; tone: string };

/** A line that the running session printed, or the tool that it called. */
export type TailFacts = { is: "said" | "tool"; text: string };

export type RelayFacts = {
  id: string;
  title: string;
  /** As in the inbox; null if that does not list it. */
  row: Row | null;
  phase: string;
  because: string;
  question: string | null;
  objective: Block[];
  spent: string;
  openedAtMs: number;
  sessions: SessionFacts[];
  /** Each with who made it, and its rule, numbers and settings as lines. */
  decisions: { seq: number; what: string; by: string; because: string; lines: string[] }[];
  handoffs: { session: number; source: string; text: string; blocks: Block[] }[];
};

export type Table = { head: string[]; rows: string[][] };
export type PlaceFacts = { id: string; words: string; answer: string | null };
export type FindingFacts = {
  id: string;
  severity: string;
  title: string;
  by: string;
  file: string | null;
  line: number | null;
  text: string;
};

/** A submission with what speaks for and against it. */
export type ReviewFacts = {
  repository: string;
  id: string;
  title: string;
  submission: number;
  head: string;
  /** The verdict that is in force. */
  verdict: string | null;
  summary: Block[];
  /** Why no verdict can be given now; null if one can. */
  closed: string | null;
  evidence: Table;
  trial: string[];
  places: PlaceFacts[];
  findings: FindingFacts[];
  checks: { command: string; result: string; good: boolean }[];
  command: string;
};

/** The answer to an action: what monoco said, and whether it did it. */
export type Done = { ok: boolean; text: string; hint: string };
