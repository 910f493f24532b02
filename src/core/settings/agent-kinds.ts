/** The kinds of agents: the CLIs with an adapter of their own, and what is made of any other program. */

/** In the order in which a role takes them that names none. */
export const vendors = ["claude", "codex", "gemini", "opencode"] as const;
export const agentKinds = [...vendors, "acp", "command", "scripted"] as const;
