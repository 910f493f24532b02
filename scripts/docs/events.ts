/** The table of all events, from their schemas. */
import { bodySchema } from "../../src/core/journal/event.ts";
import { code, table } from "./markdown.ts";

/** Throws where an event does not say what happened. */
export function eventsTable(): string {
  const rows = bodySchema.options.map(({ description, shape }) => {
    const type = shape.type.value;
    if (description === undefined) throw new Error(`the schema of ${type} does not say what happened`);
    const keys = Object.entries(shape)
      .filter(([key]) => key !== "type")
      .map(([key, field]) => `${code(key)}${field.isOptional() ? "?" : ""}`);
    return [code(type), description, keys.join(" ")];
  });
  return table(["type", "what happened", "keys"], rows);
}
