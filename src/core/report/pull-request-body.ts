/** The body of a pull request: the dossier, made inert (no mention, no ticket that it would close), and the trailers. */
import { dossierCharsMax } from "../limits.ts";
import { plain } from "../text/sanitize.ts";
import { fence } from "../prompt/fence.ts";

/** As many whole lines as fit, and always the trailers. */
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

/** A line without mentions and references. Escapes do not help: GitHub searches the rendered text for names and numbers. The entities of a command (`&#64;`) stay. */
function quiet(line: string): string {
  return line.replaceAll(/(?<![^\\]&)[@#](?=[\p{L}\p{N}_])|:(?=\/\/)|GH(?=-\d)/gu, "$&<!-- -->");
}
