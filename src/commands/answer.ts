/** A question to a person at a terminal. */
import { createInterface } from "node:readline/promises";
import { io } from "../io/io.ts";

/** Whether a person can be asked. */
export const atTerminal = (): boolean => io().stdin.isTTY === true && io().stdout.isTTY === true;

/** The answer; empty if the person ends the input, or presses Ctrl-C. */
export async function answerTo(question: string): Promise<string> {
  const { stdin, stdout } = io();
  const asking = createInterface({ input: stdin, output: stdout });
  const gone = new AbortController();
  asking.once("SIGINT", () => gone.abort());
  asking.once("close", () => gone.abort());
  try {
    return (await asking.question(question, { signal: gone.signal })).trim();
  } catch {
    stdout.write("\n");
    return "";
  } finally {
    asking.close();
  }
}
