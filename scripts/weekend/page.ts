/** A weekend as a page of docs/, without what differs from run to run. */
import type { Backlog, Shown, Weekend } from "./play.ts";

export function page({ issues, sessions, monday, found, left }: Weekend, backlog: Backlog): string {
  const { plain, approvals, questions, hopeless } = backlog;
  const parts = [
    "# A weekend",
    `What you come back to when \`monoco run --all -j 4\` has worked ${issues} issues: ${plain} that it can finish alone, ${approvals} that a person has to approve,
${questions} that ask, and ${hopeless} that no session can solve. \`npm run weekend\` does it with real git and real processes (${sessions} sessions of a shell script as agent), and writes
this page with \`--write\`.`,
    "On Monday, one command says where everything is:",
    shownAs({ command: "monoco", output: found }),
    `${monday.length} commands deal with the approvals and the questions:`,
    ...monday.map((one) => shownAs({ ...one, output: shortened(one.output) })),
    "What is left needs a person to look at it:",
    shownAs({ command: "monoco", output: left }),
  ];
  return `${parts.map(withoutTimes).join("\n\n")}\n`;
}

function shownAs({ command, output }: Shown): string {
  return `\`\`\`console\n$ ${command}\n${output.trimEnd()}\n\`\`\``;
}

/** The first and the last lines of what is long. */
function shortened(output: string): string {
  const lines = output.trimEnd().split("\n");
  return lines.length <= 12 ? output : [...lines.slice(0, 5), "…", ...lines.slice(-6)].join("\n");
}

function withoutTimes(text: string): string {
  return text
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "09:00:00")
    .replaceAll(/\b[0-9a-f]{8}\b(?=[ ;.]|$)/gm, "1a2b3c4d");
}
