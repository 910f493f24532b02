/** A JSON object: a value that maps names to values, and is neither null nor a list. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
