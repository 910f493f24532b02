/** Reads the file of an event that a CI runner was started by. */
import { resolve } from "node:path";
import { jsonOf } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { importBytesMax } from "../../core/limits.ts";
import { io } from "../../io/io.ts";
import { readDocument } from "../../store/document.ts";

/** Undefined for an event that is about something else. Throws `input` if the file is no event. */
export function eventIn<T>(file: string, read: (event: unknown) => T | undefined): T | undefined {
  const event = jsonOf(readDocument(resolve(io().cwd, file), importBytesMax));
  if (typeof event === "object" && event !== null) return read(event);
  throw new MonocoError("input", t`${file}: expected the JSON of an event`, {
    hint: t`on GitHub: --event "$GITHUB_EVENT_PATH"; on GitLab: --event "$TRIGGER_PAYLOAD"`,
  });
}
