/** An id from the command line, before it becomes part of a path. */
import { MonocoError } from "../core/error/error.ts";
import { idMeant } from "../core/issue/name.ts";
import { t } from "../core/language/translate.ts";

/** The whole id: `feat-1` is FEAT-0001. Throws `input` for anything else: ids become paths. */
export function validId(id: string): string {
  const meant = idMeant(id);
  if (meant !== undefined) return meant;
  // As JSON, so that a control character in the id is visible.
  throw new MonocoError("input", t`${JSON.stringify(id.slice(0, 80))} is not an issue's id`, {
    hint: t`an id looks like FEAT-0001; monoco issue list shows those that are there`,
  });
}
