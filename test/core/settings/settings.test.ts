import { describe, expect, test } from "vitest";
import { errorOf } from "../../support/error-of.ts";
import { agentSettings } from "../../../src/core/settings/agent-entry.ts";
import { parseSettings } from "../../../src/core/settings/file.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";

/** docs/settings.md has them. */
const defaults = settingsSchema.parse({});

test.for([[""], ["# only a comment\n"], ["---\n"], ["{}"]])("%j is all defaults", ([text]) =>
  expect(parseSettings(text!)).toEqual(defaults),
);

test("every key may be set, and what is left out keeps its default", () => {
  const text = `
base: trunk
language: zh
setup: [npm ci]
cache: [node_modules]
checks: ["npm test"]
checkAfterSession: false
quality: prototype
merge: squash
finish: { by: pr }
agents:
  mine: { kind: command, run: [./mine, -q], env: { A: b }, windowTokens: 100000 }
  play: { kind: scripted, script: play.yaml }
  claude: { kind: claude, model: opus, args: [--verbose] }
roles:
  executor: { agents: [mine, claude] }
limits: { sessionsMax: 5, contextMarks: [50, 60, 70] }
budgets: { session: { tokens: 1000000 }, day: { costUsd: 12.5, sessions: 40 } }
`;
  expect(parseSettings(text)).toEqual({
    ...defaults,
    base: "trunk",
    language: "zh",
    setup: ["npm ci"],
    cache: ["node_modules"],
    checks: ["npm test"],
    checkAfterSession: false,
    quality: "prototype",
    merge: "squash",
    finish: { by: "pr", branch: "monoco/{id}", comment: false, lookMinutes: 5 },
    agents: {
      mine: { kind: "command", run: ["./mine", "-q"], env: { A: "b" }, windowTokens: 100_000 },
      play: { kind: "scripted", script: "play.yaml" },
      claude: { kind: "claude", model: "opus", args: ["--verbose"] },
    },
    roles: {
      executor: { agents: ["mine", "claude"] },
      reviewer: { agents: ["claude", "codex", "gemini", "opencode"] },
    },
    limits: { ...defaults.limits, sessionsMax: 5, contextMarks: [50, 60, 70] },
    budgets: {
      ...defaults.budgets,
      session: { tokens: 1_000_000 },
      day: { costUsd: 12.5, sessions: 40 },
    },
  });
});

describe("a mistake is named with its line, and how to mend it", () => {
  test.for<[string, string, RegExp, RegExp?]>([
    [
      "an unknown key",
      "base: main\nbse: x\n",
      /^monoco\.yaml:2: bse: /,
      /^did you mean base\? known keys: base, language, setup/,
    ],
    [
      "an unknown nested key",
      "limits:\n  # why\n  sessionMax: 3\n",
      /^monoco\.yaml:3: limits\.sessionMax: /,
      /^did you mean limits\.sessionsMax\? known keys: sessionsMax, /,
    ],
    [
      "an unknown key of an agent",
      "agents:\n  a:\n    kind: claude\n    modle: x\n",
      /^monoco\.yaml:4: agents\.a\.modle: /,
    ],
    ["an unknown role", "roles:\n  tester: { agents: [claude] }\n", /^monoco\.yaml:2: roles\.tester: /],
    [
      "a value of the wrong kind",
      "checks: npm test\n",
      /^monoco\.yaml:1: checks: /,
      /^write checks: \["npm test"\]$/,
    ],
    ["an item of the wrong kind", "checks:\n  - npm test\n  - 3\n", /^monoco\.yaml:3: checks\.1: /],
    [
      "a co-author without an address",
      "agents: { a: { kind: claude, coAuthor: Claude } }\n",
      /^monoco\.yaml:1: agents\.a\.coAuthor: write it as "Name <mail@example\.org>"$/,
    ],
    ["an empty command", 'checks: [""]\n', /^monoco\.yaml:1: checks\.0: /],
    ["a check with NUL", 'checks: ["echo \\0"]\n', /^monoco\.yaml:1: checks\.0: it holds a NUL character$/],
    [
      "a selection without {files}",
      "checks: [{ run: npm test, select: node --test }]\n",
      /^monoco\.yaml:1: checks\.0\.select: expected \{files\} in it$/,
    ],
    [
      "a command with NUL",
      'agents: { x: { kind: command, run: ["a", "\\0"] } }\n',
      /^monoco\.yaml:1: agents\.x\.run\.1: it holds a NUL character$/,
    ],
    [
      "a variable that none can be",
      'agents: { x: { kind: claude, env: { "A=": b } } }\n',
      /^monoco\.yaml:1: agents\.x\.env\.A=: /,
    ],
    ["a number that is none", "limits:\n  sessionsMax: many\n", /^monoco\.yaml:2: limits\.sessionsMax: /],
    ["a number that cannot be", "limits:\n  sessionsMax: 0\n", /^monoco\.yaml:2: limits\.sessionsMax: /],
    ["half a session", "limits: { sessionsMax: 1.5 }\n", /^monoco\.yaml:1: limits\.sessionsMax: /],
    ["two marks", "limits: { contextMarks: [60, 75] }\n", /^monoco\.yaml:1: limits\.contextMarks/],
    ["another language", "\nlanguage: de\n", /^monoco\.yaml:2: language: /],
    ["another strategy", "base: main\nmerge: octopus\n", /^monoco\.yaml:2: merge: /],
    [
      "another finish",
      "base: main\nfinish: push\n",
      /^monoco\.yaml:2: finish: write one of merge, branch, pr, or a map/,
    ],
    ...["feature/{slug}", "feature/{id}..x", "feature/{id}-{title}"].map(
      (branch): [string, string, RegExp] => [
        `a work branch ${branch}`,
        `finish:\n  branch: "${branch}"\n`,
        /^monoco\.yaml:2: finish\.branch: expected the name of a branch with \{id\} in it/,
      ],
    ),
    [
      "an unknown key of the finish",
      "finish:\n  via: pr\n",
      /^monoco\.yaml:2: finish\.via: /,
      /^did you mean finish\.by\?/,
    ],
    [
      "an entry of a map that may be a word",
      "remote:\n  carry: [sessions, foo]\n",
      /^monoco\.yaml:2: remote\.carry\.1: it must be one of sessions, handoffs, journal$/,
    ],
    ...["-x", "https://host/x.git"].map((name): [string, string, RegExp] => [
      `a remote ${name}`,
      `remote: { name: "${name}" }\n`,
      /^monoco\.yaml:1: remote\.name: expected the name of a remote, as git remote prints it, and no URL$/,
    ]),
    ["another kind of agent", "agents: { a: { kind: gpt } }\n", /^monoco\.yaml:1: agents\.a\.kind: /],
    [
      "a command without run",
      "agents:\n  a:\n    kind: command\n",
      /^monoco\.yaml:2: agents\.a: .* needs run/,
    ],
    [
      "a model that could reach nobody",
      "agents:\n  a: { kind: acp, run: [kimi, acp], model: m }\n",
      /^monoco\.yaml:2: agents\.a\.model: it cannot be passed on to kind acp$/,
    ],
    [
      "a script without script",
      "agents:\n  a: { kind: scripted }\n",
      /^monoco\.yaml:2: agents\.a: .* needs script/,
    ],
    [
      "a role without agents",
      "roles: { executor: { agents: [] } }\n",
      /^monoco\.yaml:1: roles\.executor\.agents: /,
    ],
    [
      "an agent that nobody defined",
      "roles:\n  executor:\n    agents:\n      - claude\n      - cluade\n",
      /^monoco\.yaml:5: no agent is called "cluade"/,
      /known agents: claude/,
    ],
    [
      "an agent with a name of the language's",
      "roles: { reviewer: { agents: [constructor] } }\n",
      /^monoco\.yaml:1: no agent is called "constructor"/,
    ],
    [
      "nesting that overflows the stack",
      `roles: { a: [a]${"<<: ".repeat(10_000)}\n`,
      /^monoco\.yaml:1: it cannot be read: /,
    ],
    ["broken YAML", "base: main\nchecks: [a\nlanguage: en\n", /^monoco\.yaml:\d: /, /plain YAML/],
    ["a tab", "limits:\n\tsessionsMax: 3\n", /^monoco\.yaml:2: /],
    [
      "a key twice",
      "base: main\nlanguage: en\nbase: trunk\n",
      /^monoco\.yaml:3: the key base is there twice$/,
      /^keep one$/,
    ],
    [
      "a key of a group twice",
      "limits:\n  sessionsMax: 1\n  sessionsMax: 2\n",
      /^monoco\.yaml:3: the key limits\.sessionsMax is there twice$/,
    ],
    [
      "a quoted key twice in braces",
      'agents: { "my one": {kind: claude}, "my one": {kind: codex} }',
      /^monoco\.yaml:1: the key agents\.my one is there twice$/,
    ],
    ["two documents", "base: a\n---\nbase: b\n", /^monoco\.yaml:2: a second document/, /keep one/],
    [
      "a key written wrong, where another is missing for it",
      "roles:\n  executor:\n    agent: [claude]\n",
      /^monoco\.yaml:3: roles\.executor\.agent: /,
    ],
    ["a base that is an expression", "language: en\nbase: main^{commit}\n", /^monoco\.yaml:2: base: /],
    ["a list", "- base\n", /^monoco\.yaml:1: the file: /],
    ["a word", "hello\n", /^monoco\.yaml:1: the file: /],
    [
      "aliases that explode",
      `a: &a [x,x]\n${"bcdefgh"
        .split("")
        .map((name, index) => `${name}: &${name} [${`*${"abcdefg"[index]},`.repeat(9)}]`)
        .join("\n")}\n`,
      /^monoco\.yaml:1: it cannot be read/,
    ],
    [
      "a key that is a map",
      `limits: ${"{".repeat(300)}a${"}".repeat(300)}\n`,
      /^monoco\.yaml:1: it cannot be read: expected a key, got a list or a map/,
      /plain keys/,
    ],
  ])("%s", ([, text, message, hint = /./]) => {
    expect(errorOf(() => parseSettings(text))).toMatchObject({
      kind: "input",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  test("in the file in which it stands", () => {
    expect(() => parseSettings("bse: x", "sub/monoco.yaml")).toThrow(/^sub\/monoco\.yaml:1: /);
    expect(() => parseSettings("roles: { executor: { agents: [x] } }", "sub/monoco.yaml")).toThrow(
      /^sub\/monoco\.yaml:1: /,
    );
  });
});

describe("an agent's entry", () => {
  const settings = settingsSchema.parse({ agents: { mine: { kind: "command", run: ["./mine"] } } });

  test("is the one under agents:, and claude and codex need none", () => {
    expect(agentSettings(settings, "mine")).toEqual({ kind: "command", run: ["./mine"] });
    expect(agentSettings(settings, "claude")).toEqual({ kind: "claude" });
    expect(agentSettings(settings, "codex")).toEqual({ kind: "codex" });
  });

  test("may take the place of a built-in one", () => {
    const own = settingsSchema.parse({ agents: { claude: { kind: "claude", model: "opus" } } });
    expect(agentSettings(own, "claude")).toEqual({ kind: "claude", model: "opus" });
  });

  test("that is not there is refused with those that are", () => {
    expect(() => agentSettings(settings, "nobody")).toThrow(
      expect.objectContaining({ kind: "input", hint: expect.stringContaining("known agents: mine, claude") }),
    );
  });
});
