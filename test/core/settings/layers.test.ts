/** Settings from several places: who wins, what joins, and how mistakes are told. */
import { describe, expect, test } from "vitest";
import { errorOf } from "../../support/error-of.ts";
import { settingsChanged, withKept } from "../../../src/core/settings/change.ts";
import { readSettings } from "../../../src/core/settings/file.ts";
import { placeOf, settle } from "../../../src/core/settings/layers.ts";
import type { Settled, Source } from "../../../src/core/settings/layers.ts";
import {
  otherVariables,
  readFlags,
  readVariables,
  settingVariables,
  variableOf,
} from "../../../src/core/settings/env-and-flags.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";

const project = (text: string): Source =>
  readSettings({ text, file: "monoco.yaml", from: "project", schema: settingsSchema });
const user = (text: string): Source =>
  readSettings({ text, file: "~/.config/monoco/config.yaml", from: "user", schema: settingsSchema });

const places = ({ origins }: Settled): Record<string, string> =>
  Object.fromEntries(Object.entries(origins).map(([key, origin]) => [key, placeOf(origin)]));

// TRAP 41
describe("the first that sets a key wins: flag, environment, monoco.yaml, the user's own file, default", () => {
  const flag = readFlags(["limits.sessionsMax=1"]);
  const environment = readVariables({ MONOCO_LIMITS_SESSIONS_MAX: "2" });
  const file = project("limits:\n  sessionsMax: 3\n");
  const own = user("# mine\nlimits: { sessionsMax: 4 }\n");
  test.for<[string, Source[], number, string | undefined]>([
    ["a flag", [flag, environment, file, own], 1, "--set"],
    ["the environment", [environment, file, own], 2, "MONOCO_LIMITS_SESSIONS_MAX"],
    ["monoco.yaml", [file, own], 3, "monoco.yaml:2"],
    ["the user's own file", [own], 4, "~/.config/monoco/config.yaml:2"],
    ["the default", [], 30, undefined],
  ])("%s", ([, sources, value, place]) => {
    const settled = settle(sources);
    expect(settled.settings.limits.sessionsMax).toBe(value);
    expect(places(settled)["limits.sessionsMax"]).toBe(place);
  });
});

describe("sources join", () => {
  test("key by key: one that sets a neighbour takes nothing away", () => {
    const settled = settle([
      readFlags(["exit.threshold=0.5"]),
      project("exit: { doneSessions: 4 }"),
      user("exit: { doneSessions: 5, testSessions: 6 }"),
    ]);
    expect(settled.settings.exit).toMatchObject({ threshold: 0.5, doneSessions: 4, testSessions: 6 });
  });

  test("but a list is one value", () => {
    const settled = settle([project("checks: [a]"), user("checks: [b, c]")]);
    expect(settled.settings.checks).toEqual(["a"]);
  });

  test("agents by their names, and an agent of one kind key by key", () => {
    const settled = settle([
      project("agents: { claude: { kind: claude, args: [-v] }, mine: { kind: command, run: [./mine] } }"),
      user("agents:\n  claude: { kind: claude, model: opus }\n  other: { kind: codex }\n"),
    ]);
    expect(settled.settings.agents).toEqual({
      claude: { kind: "claude", args: ["-v"], model: "opus" },
      mine: { kind: "command", run: ["./mine"] },
      other: { kind: "codex" },
    });
    expect(places(settled)).toMatchObject({
      "agents.claude.args": "monoco.yaml:1",
      "agents.claude.model": "~/.config/monoco/config.yaml:2",
      "agents.other.kind": "~/.config/monoco/config.yaml:3",
    });
  });

  test("an agent of another kind takes the place of the whole entry", () => {
    const settled = settle([
      project("agents: { a: { kind: command, run: [./a] } }"),
      user("agents: { a: { kind: claude, model: opus } }"),
    ]);
    expect(settled.settings.agents).toEqual({ a: { kind: "command", run: ["./a"] } });
  });

  test("a role may name an agent that the user's own file defines", () => {
    const mine = user("agents: { mine: { kind: command, run: [./mine] } }");
    expect(
      settle([project("roles: { executor: { agents: [mine] } }"), mine]).settings.roles.executor.agents,
    ).toEqual(["mine"]);
  });

  test.for<[string, Source[], string]>([
    ["a word in monoco.yaml", [project("finish: pr")], "monoco.yaml:1"],
    ["a map in monoco.yaml", [project("base: main\nfinish:\n  by: pr\n")], "monoco.yaml:3"],
    ["a word over a map", [project("finish: pr"), user("finish: { by: branch }")], "monoco.yaml:1"],
    ["a map over a word", [project("finish: { by: pr }"), user("finish: branch")], "monoco.yaml:1"],
    [
      "a map that says nothing of it",
      [project("finish: {}"), user("# mine\nfinish: pr")],
      "~/.config/monoco/config.yaml:2",
    ],
    ["a word in a flag", [readFlags(["finish=pr"]), project("finish: branch")], "--set"],
    ["a map in a flag", [readFlags(["finish={ by: pr }"]), project("finish: branch")], "--set"],
    ["the key in a flag", [readFlags(["finish.by=pr"]), project("finish: branch")], "--set"],
    ["a variable", [readVariables({ MONOCO_FINISH: "pr" }), project("finish: branch")], "MONOCO_FINISH"],
    ["the key's variable", [readVariables({ MONOCO_FINISH_BY: "pr" })], "MONOCO_FINISH_BY"],
  ])("`finish: pr` is short for its map, wherever it stands: %s", ([, sources, place]) => {
    const settled = settle(sources);
    expect(settled.settings.finish).toEqual({
      by: "pr",
      branch: "monoco/{id}",
      comment: false,
      lookMinutes: 5,
    });
    expect(places(settled)).toMatchObject({ "finish.by": place });
    expect(settingsSchema.parse(settled.settings)).toEqual(settled.settings);
  });

  test.for<[string, Source[]]>([
    ["a word over a map", [project("remote: up"), user("remote: { carry: [journal] }")]],
    [
      "a variable over a map",
      [readVariables({ MONOCO_REMOTE: "up" }), project("remote: { carry: [journal] }")],
    ],
  ])("`remote: up` is short for a map with that name: %s", ([, sources]) => {
    const remote = { name: "up", carry: ["journal"], namespace: "refs/monoco" };
    expect(settle(sources).settings.remote).toMatchObject(remote);
    expect(settle([]).settings.remote).toBeUndefined();
  });

  test("a flag may change a built-in agent without saying what it is", () => {
    expect(settle([readFlags(["agents.claude.model=opus"])]).settings.agents).toEqual({
      claude: { kind: "claude", model: "opus" },
    });
  });
});

describe("what cannot be is refused, with its place", () => {
  test.for<[string, Source[], RegExp]>([
    [
      "percents that fall",
      [project("limits: { contextMarks: [80, 70, 60] }")],
      /^monoco\.yaml:1: .*80, 70, 60$/,
    ],
    ["tokens that fall", [project("limits: { contextMarks: [60, 200000, 150000] }")], /^monoco\.yaml:1: /],
    ["percents that fall around tokens", [readFlags(["limits.contextMarks=[70, 2e5, 60]"])], /^--set: /],
    [
      "a name that no object holds",
      [readFlags(["agents.__proto__.model=x"])],
      /^--set: .*__proto__ is no name$/,
    ],
    ["such a name in a file", [project("agents: { __proto__: { kind: claude } }")], /^monoco\.yaml:1: /],
    ["such a name of a variable", [readFlags(["agents.claude.env.__proto__=x"])], /^--set: .*is no name$/],
  ])("%s", ([, sources, words]) => {
    expect(() => settle(sources)).toThrow(
      expect.objectContaining({ kind: "input", message: expect.stringMatching(words) }),
    );
  });

  test("marks that stay are none that fall, and percents are not held against tokens", () => {
    const marks = [
      [80, 80, 80],
      [90, 1000, 95],
      [150_000, 75, 150_000],
    ];
    for (const each of marks) {
      const { settings } = settle([readFlags([`limits.contextMarks=${JSON.stringify(each)}`])]);
      expect(settings.limits.contextMarks).toEqual(each);
    }
  });

  test.for<[string, string]>([
    ["limits.sessionsMax=0", "it must be more than 0"],
    ["limits.sessionsMax=many", "it must be a number"],
    ["limits.sessionsMax=1.5", "it must be a whole number"],
    ["limits.backoffSeconds=-1", "it must be at least 0"],
    ["exit.threshold=2", "it must be at most 1"],
    ["exit.submit=perhaps", "it must be true or false"],
    ["breaker.reopen=never", "it must be one of cooldown, manual"],
    ["limits.contextMarks=[60, 75]", "it must have at least 3 entries"],
    ["roles.executor.agents=claude", "it must be a list"],
    ["roles.executor.agents=[]", "it must have at least 1 entry"],
    ['checks=[""]', "it must not be empty"],
    ["limits=5", "it must be a map of keys"],
  ])("--set %s: %s", ([word, words]) => {
    const key = word.split("=")[0]!;
    expect(() => readFlags([word])).toThrow(`--set ${key}: ${words}`);
    const [name = "", ...below] = key.split(".").reverse();
    const value = word.slice(key.length + 1);
    const yaml = below.reduce((inner, above) => `{ ${above}: ${inner} }`, `{ ${name}: ${value} }`);
    expect(() => project(yaml)).toThrow(new RegExp(`^monoco\\.yaml:1: ${key}(?:\\.0)?: ${words}$`));
  });
});

describe("in a word", () => {
  test.for<[string, string, unknown]>([
    ["a number", "limits.sessionsMax=5", { limits: { sessionsMax: 5 } }],
    ["a share", "exit.threshold=0.75", { exit: { threshold: 0.75 } }],
    ["yes or no", "exit.submit=false", { exit: { submit: false } }],
    ["one of several", "breaker.reopen=manual", { breaker: { reopen: "manual" } }],
    ["a list", "limits.contextMarks=[1, 2, 3]", { limits: { contextMarks: [1, 2, 3] } }],
    ["a text as it stands", "quality=a: [b", { quality: "a: [b" }],
    ["a text with =", "quality=a=b", { quality: "a=b" }],
    ["an empty text", "quality=", { quality: "" }],
    ["a whole map", "limits={sessionsMax: 5}", { limits: { sessionsMax: 5 } }],
    ["a name of the language's", "agents.__proto__.model=x", { agents: { ["__proto__"]: { model: "x" } } }],
  ])("%s: --set %s", ([, word, values]) => expect(readFlags([word]).values).toEqual(values));

  test("the last one on a key counts", () => {
    expect(readFlags(["limits.stalledMax=5", "limits.stalledMax=6"]).values).toEqual({
      limits: { stalledMax: 6 },
    });
  });

  test("an empty variable sets nothing", () => {
    expect(readVariables({ MONOCO_LIMITS_SESSIONS_MAX: "" }).values).toEqual({});
  });

  test("variables that are ours and no settings are left alone, and others' too", () => {
    const ours = Object.fromEntries(otherVariables.map((name) => [name, "x"]));
    expect(readVariables({ ...ours, PATH: "/bin", MY_MONOCO_X: "1" }).values).toEqual({});
  });

  test("a name says where its setting stands, and no two are one", () => {
    expect(variableOf("limits.sessionsMax")).toBe("MONOCO_LIMITS_SESSIONS_MAX");
    expect(settingVariables.get("MONOCO_ROLES_EXECUTOR_AGENTS")).toBe("roles.executor.agents");
    expect(readVariables({ MONOCO_GATES_HIGH: "human" }).values).toEqual({ gates: { high: "human" } });
    const keys = [...settingVariables.values()];
    expect(new Set(keys.map(variableOf)).size).toBe(keys.length);
    expect(otherVariables.filter((name) => settingVariables.has(name))).toEqual([]);
    expect(keys).toContain("limits.contextMarks");
    expect(keys.filter((key) => key.startsWith("agents"))).toEqual([]);
  });
});

describe("a mistake is told with the place where it stands, and how to mend it", () => {
  const variable = (name: string, value: string) => () => readVariables({ [name]: value });
  const flag = (word: string) => () => readFlags([word]);
  test.for<[string, () => unknown, RegExp, RegExp]>([
    [
      "a variable that is no setting",
      variable("MONOCO_LIMITS_SESSION_MAX", "3"),
      /^the environment: MONOCO_LIMITS_SESSION_MAX /,
      /did you mean MONOCO_LIMITS_SESSIONS_MAX\?/,
    ],
    [
      "a criticality that there is not",
      flag("gates.hig=human"),
      /^--set gates\.hig: unknown setting/,
      /did you mean gates\.high\? known keys: low, medium, high, critical, protected, remote$/,
    ],
    [
      "one like nothing",
      variable("MONOCO_QQQQQQQQQ", "3"),
      /^the environment: MONOCO_QQQQQQQQQ /,
      /^unset it; or monoco config show/,
    ],
    [
      "a variable's number that is none",
      variable("MONOCO_LIMITS_SESSIONS_MAX", "many"),
      /^MONOCO_LIMITS_SESSIONS_MAX: /,
      /docs\/settings\.md/,
    ],
    [
      "a variable's choice",
      variable("MONOCO_BREAKER_REOPEN", "never"),
      /^MONOCO_BREAKER_REOPEN: /,
      /cooldown, manual/,
    ],
    [
      "a variable's list without brackets",
      variable("MONOCO_LIMITS_CONTEXT_MARKS", "60"),
      /^MONOCO_LIMITS_CONTEXT_MARKS: /,
      /\[60, 75, 85\]/,
    ],
    [
      "a variable's broken YAML",
      variable("MONOCO_CHECKS", "[a"),
      /^MONOCO_CHECKS: invalid YAML/,
      /\[60, 75, 85\]/,
    ],
    ["yes for true", variable("MONOCO_EXIT_SUBMIT", "yes"), /^MONOCO_EXIT_SUBMIT: /, /true or false/],
    ["a flag without a value", flag("limits.sessionsMax"), /^--set limits\.sessionsMax: /, /KEY|like --set/],
    [
      "a flag's key of like name",
      flag("limits.sesionsMax=3"),
      /^--set limits\.sesionsMax: /,
      /did you mean limits\.sessionsMax\?/,
    ],
    [
      "a flag's key without its group",
      flag("sessionsMax=3"),
      /^--set sessionsMax: /,
      /did you mean limits\.sessionsMax\?/,
    ],
    [
      "a flag's key in a group that is written wrong",
      flag("limit.sessionsMax=3"),
      /^--set limit\.sessionsMax: /,
      /did you mean limits\.sessionsMax\?/,
    ],
    [
      "a flag's number that cannot be",
      flag("limits.sessionsMax=0"),
      /^--set limits\.sessionsMax: /,
      /docs\/settings\.md/,
    ],
    [
      "a new agent in a flag without its kind",
      () => settle([readFlags(["agents.a.model=x"])]),
      /^--set: agents\.a\.kind: /,
      /fix it/,
    ],
    [
      "a role in a variable that names nobody",
      () => settle([readVariables({ MONOCO_ROLES_REVIEWER_AGENTS: "[nobody]" })]),
      /^MONOCO_ROLES_REVIEWER_AGENTS: no agent is called "nobody"/,
      /known agents/,
    ],
    [
      "a value in a file that another source hides",
      () => settle([readFlags(["limits.sessionsMax=1"]), user("\nlimits: { sessionsMax: none }")]),
      /^~\/\.config\/monoco\/config\.yaml:2: limits\.sessionsMax: /,
      /every key has a default/,
    ],
  ])("%s", ([, read, message, hint]) =>
    expect(errorOf(read)).toMatchObject({
      kind: "input",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  );
});

describe("what has changed since a relay opened", () => {
  const before = settle([project("limits: { sessionsMax: 7 }\nquality: good")]).settings;
  test.for<[string, Source[], string[]]>([
    ["nothing", [project("limits: { sessionsMax: 7 }\nquality: good")], []],
    [
      "is told with the old value, the new one and who set it",
      [readFlags(["limits.sessionsMax=5"]), project("quality: good")],
      ["limits.sessionsMax 5 (was 7; --set)"],
    ],
    [
      "what is taken out falls back to its default",
      [project("quality: good")],
      ["limits.sessionsMax 30 (was 7; default)"],
    ],
    [
      "defaults that come with a setting were nobody's choice",
      [project("limits: { sessionsMax: 7 }\nquality: good\nremote: { name: upstream }")],
      ["remote.name upstream (was not set; monoco.yaml:3)"],
    ],
    [
      "an agent's variables keep their secrets",
      [
        project(
          "limits: { sessionsMax: 7 }\nquality: good\nagents: { a: { kind: claude, env: { KEY: secret } } }",
        ),
      ],
      ["agents.a.kind claude (was not set; monoco.yaml:3)", "agents.a.env.KEY changed"],
    ],
  ])("%s", ([, sources, words]) => expect(settingsChanged(before, settle(sources))).toEqual(words));
});

describe("what a run of a relay set stays, until a person names it", () => {
  const file = (text: string, ...above: Source[]): Settled => settle([...above, project(text)]);
  const policy = {
    ...readSettings({
      text: "gates: { medium: human }",
      file: "calm.yaml",
      from: "policy",
      schema: settingsSchema,
    }),
  };
  const flag = readFlags(["gates.medium=human"]);
  const variable = readVariables({ MONOCO_GATES_MEDIUM: "human" });
  const weaker = "gates: { medium: reviewer, high: human }";
  const opening = (settled: Settled, named = {}) => ({
    settings: settled.settings,
    origins: places(settled),
    ...named,
  });
  test.for<[string, Source[], object, Settled, string]>([
    ["a flag, over a file that changes", [flag], {}, file(weaker), "human"],
    ["a variable", [variable], {}, file(weaker), "human"],
    ["a policy file", [policy], { policy: "calm.yaml" }, file(weaker), "human"],
    ["a flag, when others are typed", [flag], {}, file("", readFlags(["gates.high=human"])), "human"],
    [
      "not a flag that is named again",
      [flag],
      {},
      file("", readFlags(["gates.medium=reviewer"])),
      "reviewer",
    ],
    [
      "not a flag that a variable names",
      [flag],
      {},
      file("", readVariables({ MONOCO_GATES_MEDIUM: "reviewer" })),
      "reviewer",
    ],
    [
      "not a policy file when another is named",
      [policy],
      { policy: "calm.yaml" },
      { ...file(weaker), policy: "fast.yaml" },
      "reviewer",
    ],
    ["not what a file set", [project("gates: { medium: human }")], {}, file(weaker), "reviewer"],
    [
      "not a flag that asks for less than a file does now",
      [readFlags(["gates.medium=reviewer"])],
      {},
      file("gates: { medium: human }"),
      "human",
    ],
  ])("%s", ([, first, named, now, medium]) => {
    expect(withKept(now, opening(settle(first), named)).settings.gates.medium).toBe(medium);
  });

  test("with its place and its policy file, so that it is found again at the next resume", () => {
    const kept = withKept(file(weaker), opening(settle([flag, policy]), { policy: "calm.yaml" }));
    expect(places(kept)["gates.medium"]).toBe("--set");
    expect(kept.policy).toBe("calm.yaml");
    expect(places(withKept(file(""), opening(kept)))["gates.medium"]).toBe("--set");
    expect(settingsChanged(kept.settings, withKept(file(weaker), opening(kept)))).toEqual([]);
  });

  test("one that is not allowed any more is not blamed on this command line", () => {
    const mine = "agents: { mine: { kind: command, run: [./a] } }\n";
    const first = settle([
      {
        values: { roles: { executor: { agents: ["mine"] } } },
        at: () => ({ from: "flag", where: "--agent" }),
      },
      readFlags(["limits.sessionsMax=9"]),
      project(mine),
    ]);
    expect(errorOf(() => withKept(file(""), opening(first)))).toEqual({
      kind: "input",
      message: 'an earlier run of this relay set this: --agent: no agent is called "mine"',
      hint: expect.stringMatching(/^set it anew on this command line: .*--agent NAME.*known agents: claude/),
    });
    expect(
      withKept(file("", readFlags(["roles.executor.agents=[codex]"])), opening(first)).settings,
    ).toMatchObject({
      roles: { executor: { agents: ["codex"] } },
      limits: { sessionsMax: 9 },
    });
  });
});
