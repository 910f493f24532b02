/** The size of a text as a file, in bytes of UTF-8. */
const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
