/** The differences between vendors when their CLI meets a scripted model: the CLI's configuration, and the model's turns. */
import type { AgentSettings } from "../agents/agent.ts";
import type { ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** `Script` is the scripted model's script, at least with turns of the common kind. */
export type Vendor<Script = ModelScript> = {
  /** The agent's entry in monoco.yaml. */
  settings: AgentSettings;
  startModel(script: Script): Promise<ModelServer>;
  /** The CLI's environment besides PATH and HOME, with a dummy login; writes the files of that home. */
  environment(options: { home: string; modelUrl: string }): Record<string, string>;
  /** The call of its shell tool. */
  shell(command: string): { name: string; input: Record<string, unknown> };
  /** The turn that returns a verdict. */
  verdict(verdict: Record<string, unknown>): Turn;
  /** The turn with which the API reports that a plan's limit is used up until then. */
  usedUp(resetsAtMs: number): Turn;
  /** The text by which the model learns that its stop was refused. */
  refusal: string;
};
