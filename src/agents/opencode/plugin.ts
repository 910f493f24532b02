/** A plugin that OpenCode loads in a Reviewer's session: keeps from it what the work under review would tell it along the way. */

/** With a file that is read comes the AGENTS.md of its folder, which no setting switches off. Lines of the file have numbers before them. */
const ordersOfFolder = /(?<!\n)\n*^<system-reminder>\nInstructions from: [\s\S]*/m;

export const Unbiased = async () => ({
  "tool.execute.after": async (call: { tool: string }, result: { output: string }): Promise<void> => {
    if (call.tool === "read") result.output = result.output.replace(ordersOfFolder, "");
  },
});
