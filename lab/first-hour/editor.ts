/** What a person does in their editor in the first hour: names the agent in monoco.yaml, and writes what the issue asks for. */
import { readFileSync, writeFileSync } from "node:fs";

const agent = `agents: { mine: { kind: command, run: ["./agent.sh"] } }
roles: { executor: { agents: [mine] }, reviewer: { agents: [mine] } }
`;

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, file.endsWith("monoco.yaml") ? settings(text) : issue(text));
}

function settings(text: string): string {
  return `${text.replace(/^roles:\n(?: .*\n)+/m, "")}\n${agent}`;
}

function issue(text: string): string {
  return text
    .replace(/(## Objective\n\n)<!--[^]*?-->/, "$1Members can log in.")
    .replace(/- \[ \] <!-- one thing[^]*?-->/, "- [ ] (behaves) `node ask.js login` prints 200")
    .replace(/- \[ \] <!-- a step[^]*?-->/, "- [ ] Add the page");
}
