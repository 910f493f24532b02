/** Text that a person pipes into a command. */
import { isUtf8 } from "node:buffer";
import { faultError, notUtf8 } from "../core/error/fault.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { io } from "../io/io.ts";

/** Reads standard input to its end. Throws `input` if it is not UTF-8 text, and `tooLong` as soon as it exceeds `bytesMax` bytes. */
export async function textOfStandardInput(bytesMax: number, tooLong: () => MonocoError): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io().stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLong();
    chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  if (!isUtf8(all)) throw faultError(notUtf8(all.toString()), t`standard input`);
  if (all.includes(0)) throw new MonocoError("input", t`standard input: expected text, and no zero byte`);
  return all.toString();
}
