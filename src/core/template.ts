/** Fills `{{name}}` in a template; what is filled in is never expanded again. */
import { MonocoError } from "./error.ts";

/** Throws `input` with the line of the first name that has no value. `file` is only for the error's words. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  file = "template",
): string {
  return template.replace(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, name: string, offset: number) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const line = template.slice(0, offset).split("\n").length;
    throw new MonocoError("input", `${file}:${line}: {{${name}}} is not known here`, {
      hint: `known names: ${Object.keys(values).join(", ") || "none"}`,
    });
  });
}
