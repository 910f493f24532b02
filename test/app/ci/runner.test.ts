/** What is refused in a runner of CI: a run with --remote in which an agent or a check could read the runner's secrets. */
import { expect, test } from "vitest";
import { isRunner, refuseUnsafeRunner } from "../../../src/app/ci/runner.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { errorOf } from "../../support/error-of.ts";
import { isHere } from "../../support/namespaces.ts";

const settings = (given: object): Settings => settingsSchema.parse(given);
const refusal = (given: object, env: Record<string, string>) =>
  errorOf(() => refuseUnsafeRunner(settings(given), env));

test.for([
  [{ CI: "true" }, true],
  [{ CI: "1" }, true],
  [{ GITHUB_ACTIONS: "true" }, true],
  [{ GITLAB_CI: "true" }, true],
  [{ CI: "false" }, false],
  [{ CI: "" }, false],
  [{}, false],
] as const)("%j is a runner: %s", ([env, is]) => {
  expect(isRunner(env)).toBe(is);
});

test.for([
  [{ sandbox: "none" }],
  [{ roles: { executor: { sandbox: "none" } } }],
  [{ roles: { reviewer: { sandbox: "none" } } }],
])("in a runner, %j is refused, though bubblewrap may work there", ([given]) => {
  expect(refusal(given!, { CI: "true" })).toMatchObject({
    kind: "input",
    message: expect.stringMatching(
      /^sandbox: none is refused in a CI runner \(role (executor|reviewer)\)/,
    ) as string,
    hint: "set sandbox: bwrap in monoco.yaml, and commit that",
  });
  expect(() => refuseUnsafeRunner(settings(given!), {})).not.toThrow();
});

test.for([["auto"], ["bwrap"]])(
  "in a runner, sandbox: %s needs a bubblewrap that works; nothing goes on without one",
  ([sandbox]) => {
    const judge = (): void => refuseUnsafeRunner(settings({ sandbox }), { GITHUB_ACTIONS: "true" });
    if (isHere("bubblewrap")) expect(judge).not.toThrow();
    else
      expect(errorOf(judge)).toMatchObject({
        kind: "input",
        hint: expect.stringContaining("kernel.apparmor_restrict_unprivileged_userns=0") as string,
      });
  },
);
