/** The table of attacks. docs/safety.md says in words what it promises. */
import type { Attack } from "./attack.ts";
import { gitAttacks } from "./git.ts";
import { workspaceAttacks } from "./workspace.ts";

export const attacks: readonly Attack[] = [...gitAttacks, ...workspaceAttacks];
