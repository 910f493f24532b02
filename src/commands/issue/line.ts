/** One issue on one line, as monoco issue list prints it, without a parser: loading one would take longer than listing. */
import type { ListedIssue } from "../../core/backlog/list.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { paint } from "../../views/paint.ts";
import { named } from "../../core/language/names.ts";
import { t } from "../../core/language/translate.ts";

export function lineOf({ id, status, stage, title, relay, waitsFor }: ListedIssue): string {
  const phase = relay ? t`  relay: ${named(relay)}` : "";
  const waits = waitsFor.length > 0 ? paint("dim", t`  waits for ${waitsFor.join(", ")}`) : "";
  return `${paint("bold", id)}  ${status}/${stage}  ${plainLine(title)}${phase}${waits}`;
}
