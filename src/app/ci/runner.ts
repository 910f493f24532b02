/** A runner of CI: its machine is thrown away, but its secrets are not, so agents work there in a sandbox or not at all. */
import { hasBubblewrap } from "../../agents/sandbox.ts";
import { sandboxCommands } from "../../core/doctor/runner.ts";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { sandboxOf } from "../../core/settings/settings.ts";
import type { Settings } from "../../core/settings/settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a CI service started this command: `CI` is what all of them set. */
export function isRunner(env: Environment): boolean {
  return ["CI", "GITHUB_ACTIONS", "GITLAB_CI"].some((name) => !["", "0", "false"].includes(env[name] ?? ""));
}

/** Throws `input` if sessions or checks would run without a sandbox in a runner of CI. */
export function refuseUnsafeRunner(settings: Pick<Settings, "roles" | "sandbox">, env: Environment): void {
  if (!isRunner(env)) return;
  const why = t`an agent or a check could read the runner's secrets`;
  const open = roles.find((role) => sandboxOf(settings, role) === "none");
  if (open)
    throw new MonocoError("input", t`sandbox: none is refused in a CI runner (role ${open}): ${why}`, {
      hint: t`set sandbox: bwrap in monoco.yaml, and commit that`,
    });
  if (!hasBubblewrap())
    throw new MonocoError("input", t`bubblewrap does not work in this CI runner: without it ${why}`, {
      hint: sandboxCommands,
    });
}
