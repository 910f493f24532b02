/** A record as a note has it: the statement itself, or signed in a DSSE envelope (https://github.com/secure-systems-lab/dsse). */
import { z } from "zod";
import { jsonOf } from "../error/attempt.ts";
import { bytesOf } from "../text/bytes.ts";
import { statementSchema } from "./statement-schema.ts";
import type { Statement } from "./statement-schema.ts";

const payloadType = "application/vnd.in-toto+json";

/** As monoco writes it, and nothing more: what is not under the signature cannot mean anything. */
const envelopeSchema = z.strictObject({
  payloadType: z.literal(payloadType),
  payload: z.base64(),
  signatures: z.tuple([z.strictObject({ keyid: z.string(), sig: z.base64() })]),
});

/** The bytes that are signed (DSSE's pre-authentication encoding). */
export function signedText(payload: string): string {
  return `DSSEv1 ${bytesOf(payloadType)} ${payloadType} ${bytesOf(payload)} ${payload}`;
}

/** A note's statement and, where it is signed, the text below the signature. */
export type Read = { statement: Statement; signed?: { text: string; sig: string; keyid: string } };

/** Reads a note; undefined for one that is no record, or that a newer monoco wrote. */
export function readNote(note: string): Read | undefined {
  const value = jsonOf(note);
  const { data: envelope } = envelopeSchema.safeParse(value);
  const payload = envelope && Buffer.from(envelope.payload, "base64").toString();
  const { data: statement } = statementSchema.safeParse(payload === undefined ? value : jsonOf(payload));
  const [signature] = envelope?.signatures ?? [];
  if (!statement || payload === undefined || !signature) return statement && { statement };
  const sig = Buffer.from(signature.sig, "base64").toString();
  return { statement, signed: { text: signedText(payload), sig, keyid: signature.keyid } };
}

/** The payload of a statement: the same bytes for the same statement, also for one that was read. */
export const payloadOf = (statement: Statement): string => JSON.stringify(statementSchema.parse(statement));

export function plainNote(statement: Statement): string {
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** `sig` is the armoured signature of `signedText(payload)`. */
export function signedNote(payload: string, { sig, keyid }: { sig: string; keyid: string }): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const signatures = [{ keyid, sig: base64(sig) }];
  return `${JSON.stringify({ payloadType, payload: base64(payload), signatures }, null, 2)}\n`;
}
