/** The library: loops, documents, the journal, and the relay's pure core; the only file that re-exports. */
export { run } from "./commands/run/run.ts";
export type { RunFlags } from "./commands/run/run.ts";
export { createRelay } from "./app/create-relay.ts";
export type { RelayOptions, RelayResult, RelaySession } from "./app/create-relay.ts";
export { statusOf } from "./commands/relay/status.ts";
export type { StatusReport } from "./commands/relay/status.ts";
export type {
  Agent,
  AgentRequest,
  AgentSettings,
  AgentUpdate,
  Capabilities,
  Dialogue,
  Launch,
} from "./agents/agent.ts";
export { decide } from "./core/relay/decide.ts";
export type { Action } from "./core/relay/decide.ts";
export { MonocoError, exitCodes } from "./core/error/error.ts";
export { eventSchema } from "./core/journal/event.ts";
export { findingSchema, verdictSchema } from "./core/review/verdict-schema.ts";
export type { EventBody, RelayEvent, StopReason } from "./core/journal/event.ts";
export type { Role } from "./core/settings/roles.ts";
export type { Finding, Verdict } from "./core/review/verdict-schema.ts";
export { parseHandoff } from "./core/handoff/handoff.ts";
export type { Handoff } from "./core/handoff/handoff.ts";
export { parseIssue } from "./core/issue/issue.ts";
export type { Issue } from "./core/issue/issue.ts";
export type { Limits } from "./core/settings/limits-schema.ts";
export { classify } from "./core/session/outcome.ts";
export { describeEvent, reportOf } from "./core/report/report.ts";
export type { RelayReport } from "./core/report/report.ts";
export { parseSettings } from "./core/settings/file.ts";
export type { Settings } from "./core/settings/settings.ts";
export type { RelayState } from "./core/journal/relay-state.ts";
export { phaseOf } from "./core/relay/phase.ts";
export type { Phase } from "./core/relay/phase.ts";
export { replay } from "./core/journal/state.ts";
export { readJournal } from "./store/journal.ts";
