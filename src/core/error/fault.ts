/** A fault in a document: its line, what is wrong, and how to fix it. */
import { MonocoError } from "./error.ts";
import type { Advice } from "./hint-schema.ts";
import { t } from "../language/translate.ts";

export interface Fault {
  line: number;
  message: string;
  hint: Advice;
}

/** The fault of a file that is not valid UTF-8: `text` holds replacement characters in place of the lost bytes. */
export function notUtf8(text: string): Fault {
  const line = text.slice(0, text.indexOf("\uFFFD")).split("\n").length;
  return { line, message: t`bytes that are not UTF-8`, hint: t`save it as UTF-8 (iconv converts it)` };
}

/** The fault as the error of a command that cannot go on. */
export function faultError(fault: Fault, file: string): MonocoError {
  return new MonocoError("input", `${file}:${fault.line}: ${fault.message}`, { hint: fault.hint });
}
