/** Messages for a schema's errors, which say how the value has to be. */
import type { z } from "zod";
import { counted } from "../language/counted.ts";
import { t, translatable, translated } from "../language/translate.ts";

/** What is wrong with a value; where it may be a word or a map, what is wrong in the map that was written. */
export function issuesIn({ issues }: z.ZodError): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "invalid_union") return [issue];
    const written = issue.errors.find((one) => one.some(({ path }) => path.length > 0));
    return written?.map((one) => ({ ...one, path: [...issue.path, ...one.path] })) ?? [issue];
  });
}

export function wordsOfIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return t`it must be ${translated(kinds[issue.expected] ?? issue.expected)}`;
    case "invalid_value":
      return issue.values.length > 1
        ? t`it must be one of ${issue.values.map(String).join(", ")}`
        : t`it must be ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return t`unknown key`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return t`it must not be empty`;
      return sized(issue.origin, issue.inclusive === false ? t`more than` : t`at least`, issue.minimum);
    case "too_big":
      return sized(issue.origin, issue.inclusive === false ? t`less than` : t`at most`, issue.maximum);
    default:
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = translatable({
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a map of keys",
  record: "a map of names",
});

function sized(origin: string, than: string, bound: number | bigint): string {
  if (origin === "array")
    return Number(bound) === 1
      ? t`it must have ${than} ${bound} entry`
      : t`it must have ${than} ${bound} entries`;
  return origin === "string"
    ? t`it must have ${than} ${counted(Number(bound), "character")}`
    : t`it must be ${than} ${bound}`;
}
