/** Warns once, at the start of a run, that `sandbox: auto` finds no sandbox on this machine, and names the command that installs one. */
import { hasBubblewrap, systemProgram } from "../../agents/sandbox.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

/** The install command of each package manager. */
const installers = { "apt-get": "install", dnf: "install", pacman: "-S", zypper: "install", apk: "add" };

const warned = new WeakSet<object>();

export function tellNoSandbox(settings: Settings): void {
  const { stderr } = io();
  if (warned.has(stderr) || roles.every((role) => sandboxOf(settings, role) !== "auto")) return;
  warned.add(stderr);
  if (hasBubblewrap()) return;
  stderr.write(
    `${t`no sandbox: agents and checks run with your rights`}: ${whatHelps()}; ${t`sandbox: none in monoco.yaml ends this notice`}\n`,
  );
}

function whatHelps(): string {
  if (process.platform !== "linux") return t`monoco has one on Linux only`;
  if (systemProgram("bwrap") !== undefined)
    return t`bubblewrap is installed, and the system refuses it user namespaces: where AppArmor does (Ubuntu 24.04 and newer), give bwrap a profile, else sysctl kernel.unprivileged_userns_clone=1; docs/safety.md has both`;
  const entries = Object.entries(installers);
  const [name, verb] = entries.find(([program]) => systemProgram(program) !== undefined) ?? entries[0]!;
  return t`install bubblewrap: sudo ${name} ${verb} bubblewrap`;
}
