/** What is wrong in a document: the line, what it is, and how to mend it. */
import { MonocoError } from "./error.ts";

export interface Fault {
  line: number;
  message: string;
  hint: string;
}

/** The fault as the error of a command that cannot go on. */
export function faultError(fault: Fault, file: string): MonocoError {
  return new MonocoError("input", `${file}:${fault.line}: ${fault.message}`, { hint: fault.hint });
}
