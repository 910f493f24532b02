/** Fills `{{name}}` in a template; inserted values are never expanded again. */
import { MonocoError } from "../error/error.ts";
import { t } from "../language/translate.ts";

const places = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g;

/** Throws `input` with the line of the first name without a value. `file` only appears in the error. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  file = "template",
): string {
  refuseUnknownNames(template, Object.keys(values), file);
  return template.replace(places, (_, name: string) => values[name] ?? "");
}

/** Throws `input` with the line of the first name that is not one of `names`. */
export function refuseUnknownNames(template: string, names: readonly string[], file: string): void {
  for (const { 1: name = "", index } of template.matchAll(places)) {
    if (names.includes(name)) continue;
    const line = template.slice(0, index).split("\n").length;
    throw new MonocoError("input", t`${file}:${line}: ${`{{${name}}}`} is not known here`, {
      hint: t`known names: ${names.join(", ") || t`none`}`,
    });
  }
}
