/** Notices at the start of a run, once: a sandbox that is missing, with the command that installs it, variables that set-up and checks get, and agents that are not used. */
import { hasBubblewrap, systemProgram } from "../../agents/sandbox.ts";
import { givenWords, unsetIn, unsetWords } from "../../core/report/given.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { setBack } from "../../app/doctor/agent-reports.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

/** The install command of each package manager. */
const installers = { "apt-get": "install", dnf: "install", pacman: "-S", zypper: "install", apk: "add" };

const warned = new WeakSet<object>();

export function tellNotices(settings: Settings): void {
  const { stderr, env, cwd } = io();
  if (warned.has(stderr)) return;
  warned.add(stderr);
  const unset = unsetIn(env, settings.env);
  const notices = [
    lacksSandbox(settings)
      ? `${t`no sandbox: agents and checks run with your rights`}: ${whatHelps()}; ${t`sandbox: none in monoco.yaml ends this notice`}`
      : "",
    givenWords(settings.env),
    unset.length > 0 ? unsetWords(unset) : "",
    ...setBack(settings, cwd),
  ];
  for (const notice of notices.filter(Boolean)) stderr.write(`${notice}\n`);
}

const lacksSandbox = (settings: Settings): boolean =>
  roles.some((role) => sandboxOf(settings, role) === "auto") && !hasBubblewrap();

function whatHelps(): string {
  if (process.platform !== "linux") return t`monoco has one on Linux only`;
  if (systemProgram("bwrap") !== undefined)
    return t`bubblewrap is installed, and the system refuses it user namespaces: where AppArmor does (Ubuntu 24.04 and newer), give bwrap a profile, else sysctl kernel.unprivileged_userns_clone=1; docs/safety.md has both`;
  const entries = Object.entries(installers);
  const [name, verb] = entries.find(([program]) => systemProgram(program) !== undefined) ?? entries[0]!;
  return t`install bubblewrap: sudo ${name} ${verb} bubblewrap`;
}
