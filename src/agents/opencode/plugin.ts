/** A plugin that OpenCode loads in a Reviewer's session: keeps instructions in the work under review from the Reviewer. */

/** The AGENTS.md that OpenCode appends to a file of the same folder; no setting switches it off. Lines of the file itself are numbered. */
const ordersOfFolder = /(?<!\n)\n*^<system-reminder>\nInstructions from: [\s\S]*/m;

export const Unbiased = async () => ({
  "tool.execute.after": async (call: { tool: string }, result: { output: string }): Promise<void> => {
    if (call.tool === "read") result.output = result.output.replace(ordersOfFolder, "");
  },
});
