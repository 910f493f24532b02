/** The library: loops, documents, the journal, and the relay's pure core; the only file that re-exports. */
export { run } from "./commands/run.ts";
export type { RunFlags } from "./commands/run.ts";
export { createRelay } from "./commands/create-relay.ts";
export type { RelayOptions, RelayResult, RelaySession } from "./commands/create-relay.ts";
export { statusOf } from "./commands/relay-status.ts";
export type { StatusReport } from "./commands/relay-status.ts";
export type {
  Agent,
  AgentRequest,
  AgentSettings,
  AgentUpdate,
  Capabilities,
  Dialogue,
  Launch,
} from "./agents/agent.ts";
export { decide } from "./core/decide.ts";
export type { Action } from "./core/decide.ts";
export { MonocoError, exitCodes } from "./core/error.ts";
export { eventSchema } from "./core/event.ts";
export { findingSchema, verdictSchema } from "./core/verdict-schema.ts";
export type { EventBody, RelayEvent, StopReason } from "./core/event.ts";
export type { Role } from "./core/roles.ts";
export type { Finding, Verdict } from "./core/verdict-schema.ts";
export { parseHandoff } from "./core/handoff.ts";
export type { Handoff } from "./core/handoff.ts";
export { parseIssue } from "./core/issue.ts";
export type { Issue } from "./core/issue.ts";
export type { Limits } from "./core/limits-schema.ts";
export { classify } from "./core/outcome.ts";
export { describeEvent, reportOf } from "./core/report.ts";
export type { RelayReport } from "./core/report.ts";
export { parseSettings } from "./core/settings-file.ts";
export type { Settings } from "./core/settings.ts";
export type { RelayState } from "./core/relay-state.ts";
export { phaseOf } from "./core/standing.ts";
export type { Phase } from "./core/standing.ts";
export { replay } from "./core/state.ts";
export { readJournal } from "./store/journal.ts";
