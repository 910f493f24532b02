/** The body of a pull request: the dossier, in which nothing speaks for itself there (a mention, a ticket that it closes), and the trailers. */
import { dossierCharsMax } from "../limits.ts";
import { plain } from "../text/sanitize.ts";
import { fence } from "../prompt/fence.ts";

/** Whole lines, as many as fit; the trailers always. */
export function pullRequestBody(dossier: string, trailers: readonly string[]): string {
  const end = `\n## Trailers\n\n${fence(trailers.join("\n"))}\n`;
  const lines: string[] = [];
  let left = dossierCharsMax - end.length;
  let open: string | undefined;
  for (const line of plain(dossier).trimEnd().split("\n")) {
    const marks = /^`{3,}/.exec(line)?.[0];
    const shown = open === undefined && marks === undefined ? quiet(line) : line;
    left -= shown.length + 1;
    if (left < 100) return [...lines, ...(open === undefined ? [] : [open]), "", "…", end].join("\n");
    lines.push(shown);
    if (open === undefined) open = marks;
    else if (line === open) open = undefined;
  }
  return [...lines, end].join("\n");
}

/** Escapes do not help: names and numbers are looked for in the text that a reader sees. */
function quiet(line: string): string {
  return line.replaceAll(/[@#](?=[\p{L}\p{N}_])|:(?=\/\/)|GH(?=-\d)/gu, "$&<!-- -->");
}
