/** The table of attacks. docs/safety.md says in words what it promises. */
import type { Attack } from "./attack.ts";
import { forgeryAttacks } from "./forgery.ts";
import { gitAttacks } from "./git.ts";
import { reachAttacks } from "./reach.ts";
import { textAttacks } from "./text.ts";
import { workspaceAttacks } from "./workspace.ts";

export const attacks: readonly Attack[] = [
  ...gitAttacks,
  ...workspaceAttacks,
  ...reachAttacks,
  ...forgeryAttacks,
  ...textAttacks,
];
