/** The error that is thrown, as a person is told it. */
import { MonocoError } from "../../src/core/error/error.ts";
import { adviceWords } from "../../src/views/hint.ts";

export function errorOf(run: () => unknown): { kind: string; message: string; hint: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof MonocoError)
      return { kind: error.kind, message: error.message, hint: adviceWords(error.hint ?? "") };
    throw error;
  }
  throw new Error("no error was thrown");
}
