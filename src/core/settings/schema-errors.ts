/** What a schema finds wrong with a value that a person wrote, in words that say how it has to be. */
import type { z } from "zod";
import { counted } from "../text/counted.ts";

export function wordsOfIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `it must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `it must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return "unknown key";
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "it must not be empty";
      return sized(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return sized(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    default:
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a map of keys",
  record: "a map of names",
};

function sized(origin: string, than: string, bound: number | bigint): string {
  if (origin === "array") return `it must have ${than} ${bound} ${Number(bound) === 1 ? "entry" : "entries"}`;
  return origin === "string"
    ? `it must have ${than} ${counted(Number(bound), "character")}`
    : `it must be ${than} ${bound}`;
}
