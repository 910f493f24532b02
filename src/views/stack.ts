/** A stack trace in the lines of the sources: what is shipped was joined from them, and says so in its source maps. */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import type { SourceMapPayload } from "node:module";

/** Leaves a place as it is where no source map knows better. */
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
