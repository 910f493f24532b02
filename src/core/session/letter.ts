/** Reads a person's message that came through a remote: whoever may push to it can have written anything there. */
import { attempt } from "../error/attempt.ts";
import type { Via } from "../journal/events/fields.ts";
import { t } from "../language/translate.ts";
import { lineBracketsMax, lineDepthMax, messageBytesMax } from "../limits.ts";
import { bytesOf } from "../text/bytes.ts";
import { isNestedDeeper } from "../text/json-depth.ts";
import { plainLine } from "../text/sanitize.ts";
import { letterSchema } from "./message.ts";
import type { InboxMessage } from "./message.ts";

export type Letter = Exclude<InboxMessage, { type: "escaped" }> & { via: Via };

/** `id` is the end of the ref's name, which the message has to repeat. */
export function readLetter(text: string, id: string): Letter | { why: string } {
  if (!isLetterId(id)) return { why: t`its name is not a letter's` };
  if (bytesOf(text) > messageBytesMax) return { why: t`larger than ${messageBytesMax} bytes` };
  if (isNestedDeeper(text, lineDepthMax, lineBracketsMax)) return { why: t`malformed` };
  const json = attempt(() => JSON.parse(text) as unknown, undefined);
  if (json === undefined) return { why: t`not JSON` };
  const { data, error } = letterSchema.safeParse(json);
  if (!data) return { why: plainLine(error.issues[0]?.message ?? t`malformed`) };
  if (data.id !== id) return { why: t`it has the id of another one` };
  if (!data.via) return { why: t`it does not say who sent it` };
  if (data.type === "review" && data.verdict === "approve" && data.commit === undefined)
    return { why: t`an approval has to name the submission's commit` };
  return { ...data, via: { ...data.via, who: plainLine(data.via.who) || "?" } };
}

/** A UUID, which is a safe name for a ref and for a file. */
export function isLetterId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
