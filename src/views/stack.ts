/** A stack trace with lines of the sources: the shipped files are bundled, and their source maps name the origins. */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";

/** Maps the stack. A line without a source map stays. */
export function stackInSources(stack: string): string {
  return stack.replaceAll(/(file:\/\/[^\s()]+):(\d+):(\d+)/g, (place, url: string, line, column) => {
    try {
      const map = JSON.parse(readFileSync(new URL(`${url}.map`), "utf8")) as SourceMapPayload;
      const origin = new SourceMap(map).findOrigin(Number(line), Number(column));
      if (!("fileName" in origin)) return place;
      return `${new URL(origin.fileName, url).href}:${origin.lineNumber}:${origin.columnNumber}`;
    } catch {
      return place;
    }
  });
}
