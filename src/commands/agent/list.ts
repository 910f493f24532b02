/** monoco agent list: the agents that monoco knows, with their program, version, login and roles on this machine. */
import { loginPlaces } from "../../agents/logins.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import type { AgentEntry } from "../../core/settings/agent-schema.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";
import { paint } from "../../views/paint.ts";
import { agentReports } from "../../app/doctor/agent-reports.ts";
import type { AgentReport } from "../../app/doctor/agent-reports.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { io } from "../../io/io.ts";
import { t, translated } from "../../core/language/translate.ts";
import { named } from "../../core/language/names.ts";

/** Exit status 0 if each role has an agent that can play it, else 4. */
export async function list(flags: { json: boolean }): Promise<number> {
  const here = await openHere();
  const settings = loadSettings(here);
  const reports = await agentReports(settings, here.repository.checkout);
  if (flags.json) printJson(reports);
  else for (const line of agentLines(reports)) io().stdout.write(`${line}\n`);
  const played = roles.every((role) =>
    reports.some((one) => one.found && one.least === null && one.roles.includes(role)),
  );
  if (!played && !flags.json) {
    io().stdout.write(
      t`${paint("bad", t`a role has nobody to play it`)}: install one of its agents, or name another under roles: in monoco.yaml\n`,
    );
  }
  return played ? 0 : 4;
}

export function agentLines(reports: readonly AgentReport[]): string[] {
  return tableLines(reports.map(rowOf));
}

function rowOf(report: AgentReport): Cell[] {
  const { name, kind, found, path, install, version, least, login, unused, probed } = report;
  const where = found ? (path ?? t`built in`) : t`not found: ${install}`;
  const needsLogin = loginPlaces(kind as AgentEntry["kind"]).files.length > 0;
  const cells = [
    paint(found ? "good" : "bad", where),
    ...(version === null ? [] : [version]),
    ...(least === null ? [] : [paint("bad", t`older than ${least}, which monoco needs: ${install ?? ""}`)]),
    ...(found && needsLogin ? [login === null ? noLogin(report) : t`login: ${login}`] : []),
    ...(found && unused !== null ? [paint("bad", t`not used: ${unused}`)] : []),
    ...(probed === null ? [] : [t`probed: ${translated(probed)}`]),
    ...(report.roles.length > 0 ? [paint("dim", report.roles.map(named).join(", "))] : []),
  ];
  return [{ text: name, tone: "bold" }, kind, cells.join("  ")];
}

/** An agent that no role names is never tried. */
function noLogin({ roles }: AgentReport): string {
  return roles.length > 0 ? t`no login seen: tried last` : t`no login seen`;
}
