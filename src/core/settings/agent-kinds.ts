/** Roles, and kinds of agents: the CLIs with an adapter of their own, and a generic kind for any other program. */

/** The vendors in the order in which a role without agents takes them. */
export const vendors = ["claude", "codex", "gemini", "opencode"] as const;
export const agentKinds = [...vendors, "acp", "command", "scripted"] as const;

/** The roles that a session can play. */
export const roles = ["executor", "reviewer"] as const;
export type Role = (typeof roles)[number];
