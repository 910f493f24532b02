/** What differs between the vendors when their CLI meets a scripted model: where it is pointed, and what that model has to say. */
import type { AgentSettings } from "../agents/agent.ts";
import type { ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** `Script` is what its scripted model takes, turns of the common kind at the least. */
export type Vendor<Script = ModelScript> = {
  /** Its entry in monoco.yaml. */
  settings: AgentSettings;
  startModel(script: Script): Promise<ModelServer>;
  /** What its CLI is started with beside PATH and HOME, with a dummy login; writes what has to stand in that home. */
  environment(options: { home: string; modelUrl: string }): Record<string, string>;
  /** The call of its shell tool. */
  shell(command: string): { name: string; input: Record<string, unknown> };
  /** The turn that returns a verdict. */
  verdict(verdict: Record<string, unknown>): Turn;
  /** The turn with which its API says that a plan's limit is used up until then. */
  usedUp(resetsAtMs: number): Turn;
  /** How the model is told that its stop was refused. */
  refusal: string;
};
