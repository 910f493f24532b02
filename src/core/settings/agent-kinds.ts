/** Who plays a session: its role, and the kinds of agents, which are the CLIs with an adapter of their own and what is made of any other program. */

/** In the order in which a role takes them that names none. */
export const vendors = ["claude", "codex", "gemini", "opencode"] as const;
export const agentKinds = [...vendors, "acp", "command", "scripted"] as const;

/** Who a session is played as. */
export const roles = ["executor", "reviewer"] as const;
export type Role = (typeof roles)[number];
