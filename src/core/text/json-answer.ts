/** Answers of one JSON object: the schema for the agent, and the reader that finds the object in the answer. */
import { z } from "zod";
import { jsonOf } from "../error/attempt.ts";
import { isRecord } from "./record.ts";

/** The schema for agents that enforce one: strict and without bounds, since an API may refuse others. */
export function strictJsonSchema(schema: z.ZodObject): unknown {
  return strict(z.toJSONSchema(schema, { io: "input", target: "draft-7" }));
}

function strict(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { type, description, enum: values, items, properties } = schema;
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: strict(items) }),
    ...(isRecord(properties) ? strictObject(properties) : {}),
  };
}

function strictObject(properties: Record<string, unknown>): object {
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, strict(one)])),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** The JSON values in the last `charsMax` characters of an answer, the last first: the whole text, a code block, or a single line. */
export function objectsIn(answer: string, charsMax: number): unknown[] {
  const text = answer.slice(-charsMax);
  return [text, ...text.split(/^[ \t]*(?:```|~~~)\w*[ \t]*$/m), ...text.split("\n")]
    .filter((part) => part.trim().startsWith("{"))
    .toReversed()
    .map(jsonOf)
    .filter((value) => value !== undefined);
}
