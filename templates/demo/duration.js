/** Seconds of a duration such as 1h30m. */
export function parseDuration(text) {
  return Number(text);
}
