/** The settings of a relay: their schemas and defaults. */
import { z } from "zod";
import { vendors } from "./agent-kinds.ts";
import type { Role } from "./agent-kinds.ts";
import { agentSchema, command } from "./agent-schema.ts";
import { budgetsSchema } from "./budget-schema.ts";
import { attestSchema, finishSchema, isBranchName, mergeStrategies, remoteSchema } from "./finish-schema.ts";
import { criticalities } from "../issue/vocabulary.ts";
import { isPattern } from "../text/glob.ts";
import { patternGlobstarsMax } from "../limits.ts";
import { limitsSchema } from "./limits-schema.ts";
import { hostEntryOf, networkModes } from "./network.ts";
import { presetNames } from "./presets.ts";
import { priceSchema } from "./price.ts";
import { reviewSchema } from "./review-schema.ts";
import { checksSchema, envSchema } from "./check-schema.ts";
import { setting } from "./setting.ts";
import { siblingSchema } from "../text/sibling.ts";
import { t } from "../language/translate.ts";

const patternExpected = (): string =>
  t`expected a pattern as in .gitignore that can match a path, with at most ${patternGlobstarsMax} "**"`;

export const sandboxes = ["none", "auto", "bwrap"] as const;
export type Sandbox = (typeof sandboxes)[number];

const players = (): z.ZodArray<z.ZodString> => z.array(z.string().min(1)).min(1);

const gate = z.enum(["reviewer", "human"]);

const exitSchema = z.strictObject({
  submit: setting(
    z.boolean().default(true),
    "whether the work of a session that looks finished and did not submit is put up for review: [docs/exit-detection.md](exit-detection.md); `false` only scores it",
  ),
  ask: setting(
    z.boolean().default(true),
    "whether a session that ended without a submission is asked once whether the work is done, in its own conversation, if its agent can be resumed",
  ),
  // The protocol article has 1, 2 and 3 for simple, medium and complex work; below, 2, 3, 4 and 25, 30, 35.
  doneSessions: setting(
    z.number().int().positive().default(2),
    "sessions in a row that say that they are done",
    "sessions",
  ),
  testSessions: setting(
    z.number().int().positive().default(3),
    "sessions in a row that change only tests",
    "sessions",
  ),
  testSharePercent: setting(
    z.number().min(0).max(100).default(30),
    "share of test sessions above which they count as a sign of the end",
    "percent",
  ),
  threshold: setting(
    z.number().min(0).max(1).default(0.6),
    "the vote from which the work counts as finished",
  ),
});

const breakerSchema = z.strictObject({
  reopen: setting(
    z.enum(["cooldown", "manual"]).default("cooldown"),
    "the circuit breaker opens when sessions get nowhere. `cooldown`: after a cool-down one session probes; `manual`: only you resume the relay",
  ),
  coolDownMinutes: setting(
    z.number().positive().default(30),
    "the first cool-down; it doubles with each probe that makes no progress",
    "minutes",
  ),
  // Probes come 30, 60 and 120 minutes apart; after that the work is hopeless.
  probesMax: setting(
    z.number().int().positive().default(3),
    "probing sessions in a row that may fail; then the relay is blocked, and a person is asked",
    "sessions",
  ),
  // The protocol article has 5.
  sameErrorMax: setting(
    z.number().int().positive().default(5),
    "sessions in a row that met the same error, in their ending or in their last failing check, open the breaker, whatever else they changed",
    "sessions",
  ),
  deniedMax: setting(
    z.number().int().positive().default(2),
    "sessions in a row without progress to which tools were denied open the breaker (Claude Code, Codex, Gemini CLI, OpenCode and `command` agents report it, [as far as they do](agents.md))",
    "sessions",
  ),
  // The protocol article has 70.
  outputDeclinePercent: setting(
    z.number().min(0).max(100).default(70),
    "a session without progress whose output is so much shorter than that of the sessions before it opens the breaker",
    "percent",
  ),
});

/** How people are notified outside the terminal. */
const notifySchema = z.strictObject({
  command: setting(
    z
      .string()
      .min(1)
      .refine((text) => !text.includes("\0"), { error: () => t`Invalid input` })
      .optional(),
    "a shell command of yours that is given each batch as JSON on standard input: [docs/notify.md](notify.md)",
  ),
  desktop: setting(
    z.boolean().optional(),
    "show a message on the desktop, by `notify-send` where that is installed",
  ),
  webhook: setting(
    z.url({ protocol: /^https$/, error: () => t`Invalid URL` }).optional(),
    "an https address to which each batch is posted as JSON; a private address and a redirect are refused",
  ),
  secretEnv: setting(
    z
      .string()
      .regex(/^[A-Za-z_]\w*$/, { error: () => t`Invalid string: must match pattern ${"/^[A-Za-z_]\\w*$/"}` })
      .optional(),
    "the environment variable that holds the secret which signs what is posted; needed for `webhook`",
  ),
});
export type NotifySettings = z.infer<typeof notifySchema>;

export const settingsSchema = z.strictObject({
  base: setting(
    z
      .string()
      .refine(isBranchName, { error: () => t`expected the name of a branch` })
      .default("main"),
    "the branch that work starts from and is merged into",
  ),
  language: setting(
    z.enum(["en", "zh"]).default("en"),
    "`en` or `zh`: prompts, RALPH.md, templates, and what monoco prints at a terminal",
  ),
  setup: setting(z.array(command).default([]), "commands that run once in each new clone"),
  cache: setting(
    z.array(command).default([]),
    "folders copied into a new clone from the last trusted set-up with the same lockfile",
  ),
  checks: setting(
    checksSchema,
    "commands whose exit status is evidence; an issue may add its own with `checks:`. `{ run: npm test, select: node --test {files} }` also says how to run [some test files only](review.md#the-tests-are-put-to-the-test)",
  ),
  env: envSchema.prefault({}),
  baseline: setting(
    z.enum(["auto", "strict", "none"]).default("auto"),
    "set-up and checks of monoco.yaml run once on the base before a relay's first session, and no session starts if they cannot run. `auto`: what is red there counts against nobody; `strict`: it stops the relay, too; `none`: they do not run (an issue can say `baseline: none` for itself): [docs/baseline.md](baseline.md)",
  ),
  shell: setting(
    z
      .union([command, z.array(command).min(1)], {
        error: () => t`write a command line, or its words: bash -o pipefail`,
      })
      .optional(),
    "the shell that runs `setup` and `checks`, split at blanks, or a list of its words; without it bash where that is on the PATH, else sh. With `bash -o pipefail` a check that ends in a pipe (`npm test | tee log`) fails if any of its commands fails",
  ),
  protected: setting(
    z.array(z.string().refine(isPattern, { error: patternExpected })).default([]),
    "further paths, besides the [usual ones](protected.md), that an Executor should not change, as in .gitignore; `!package-lock.json` removes one from the list",
  ),
  checkAfterSession: setting(
    z.boolean().default(true),
    "run the checks when a session ends with a changed tree, for the facts of its handoff; once for each tree",
  ),
  quality: setting(
    z.string().default("production"),
    "the quality that the agents are asked for: `prototype`, `production`, `library`, or your own words",
  ),
  preset: setting(
    z.enum([...presetNames, "auto"]).default("medium"),
    "numbers for `simple`, `medium` or `complex` work, where they are not set one by one; `auto` chooses by the issue: [presets](#presets)",
  ),
  agents: setting(
    z.record(z.string(), agentSchema).default({}),
    "agents besides the built-in `claude`, `codex`, `gemini` and `opencode`, by a name of yours: [agents](#agents)",
  ),
  roles: z
    .strictObject({
      executor: z
        .strictObject({
          agents: setting(
            players().default(["claude"]),
            "who plays the Executor, in order of preference: the first one that is installed and whose account is not used up; one of which no login is seen comes last",
          ),
          sandbox: setting(
            z.enum(sandboxes).optional(),
            "what holds the Executor's sessions, and the set-up and checks of its clone; `sandbox` where it is not set",
          ),
        })
        .prefault({}),
      // The default is the installed agents, those of another vendor than the work's first: see core/relay/players.ts.
      reviewer: z
        .strictObject({
          agents: setting(
            players().default([...vendors]),
            "who plays the Reviewer: the same, but agents of another kind than the work's author come first",
          ),
          sandbox: setting(
            z.enum(sandboxes).optional(),
            "what holds the Reviewer's sessions, and all set-ups and checks that a review rests on; `sandbox` where it is not set",
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  gates: z
    .strictObject({
      low: setting(
        gate.optional(),
        "whether a person has to approve work on an issue of this criticality, too: `human`",
      ),
      medium: setting(
        gate.optional(),
        "the same for `medium`, which is also the criticality of an issue that names none",
      ),
      high: setting(gate.optional(), "the same"),
      critical: setting(gate.optional(), "the same"),
      protected: setting(
        gate.optional(),
        "whether a person has to approve a change of monoco.yaml, CI or what monoco runs, too: `human` where it is not set; `reviewer` leaves it to the Reviewer: [docs/protected.md](protected.md)",
      ),
      remote: setting(
        z.boolean().optional(),
        "whether a person's approval from elsewhere, through the remote or by a comment, counts for such a change: [docs/remote.md](remote.md#messages-by-refs)",
      ),
    })
    .prefault({}),
  reviewers: setting(
    z.partialRecord(z.enum(criticalities), z.number().int().min(1).max(2)).default({}),
    "by the issue's criticality: how many Reviewers have to approve, 1 (where it is not set) or 2: `reviewers: { critical: 2 }`",
  ),
  clones: setting(
    z.enum(["borrowed", "copied"]).default("borrowed"),
    "how clones get the objects of your repository: `borrowed` reads them where they are, `copied` makes copies for each session: [docs/safety.md](safety.md#clones)",
  ),
  filters: setting(
    z.enum(["refuse", "ignore"]).default("refuse"),
    "files behind a filter of git that is set up here (git-crypt, transcrypt): `refuse` them, or `ignore` the filter: [docs/safety.md](safety.md#filters)",
  ),
  signing: setting(
    z.enum(["auto", "off"]).default("auto"),
    "whether the commits that monoco makes on your branches are signed: `auto` signs where your git does (`commit.gpgsign`), `off` never: [docs/merging.md](merging.md#signed-commits)",
  ),
  attest: attestSchema,
  sandbox: setting(
    z.enum(sandboxes).default("auto"),
    "the sandbox for agents and checks: `auto` (bubblewrap if it works), `bwrap` (no run without it), or `none`: [docs/safety.md](safety.md#the-sandbox)",
  ),
  sandboxRead: setting(
    z.array(command).default([]),
    "files and folders of yours that a sandbox shows, read-only, such as a toolchain that is not among [those that it knows](safety.md#toolchains-and-caches)",
  ),
  sandboxWrite: setting(
    z.array(command).default([]),
    "files and folders of yours that may be written from a sandbox",
  ),
  siblings: setting(
    z.array(siblingSchema).default([]),
    "folders beside the repository that a sandbox shows beside each clone, read-only: `[../lib]`; [docs/safety.md](safety.md#folders-beside-the-repository)",
  ),
  network: setting(
    z.enum(networkModes).default("full"),
    "what a sandbox leaves of the network: `full`, all of it; `vendors`, the hosts of the agent's vendor and `networkHosts`; `none`: [docs/safety.md](safety.md#the-network)",
  ),
  networkHosts: setting(
    z
      .array(
        z.string().refine((text) => hostEntryOf(text) !== undefined, {
          error: () => t`expected a host: registry.example.com, example.com:8443, *.example.com`,
        }),
      )
      .default([]),
    "hosts that `network: vendors` lets through, too: `registry.example.com`, `example.com:8443`, `*.example.com`; only one that is named whole may be in a private network",
  ),
  sessions: setting(
    z.enum(["fresh", "continue"]).default("fresh"),
    "`fresh`: each session is a conversation of its own; `continue`: an Executor goes on with its agent's last one while that makes sense",
  ),
  learnings: setting(
    z.boolean().default(false),
    "give the patterns of merged relays to later ones; they are kept for `monoco learnings` either way: [docs/handoff.md](handoff.md#learnings)",
  ),
  merge: setting(
    z.enum(mergeStrategies).default("merge"),
    "how approved work becomes commits on the base: one `merge` commit, or one commit by `squash`: [docs/merging.md](merging.md)",
  ),
  review: reviewSchema.prefault({}),
  finish: finishSchema.prefault({}),
  remote: remoteSchema.optional(),
  comments: z
    .strictObject({
      agents: setting(
        z.array(z.string().min(1)).default([]),
        "logins at GitHub or GitLab that agents can write by: their comments are no commands. The account that monoco itself writes by is always one of them: [docs/fleet.md](fleet.md#answers-from-the-phone)",
      ),
    })
    .prefault({}),
  intake: z
    .strictObject({
      label: setting(
        z.string().min(1).default("monoco"),
        "the label by which an issue of GitHub or GitLab comes in, once a person with write access puts it on: [docs/fleet.md](fleet.md#issues-by-label)",
      ),
    })
    .prefault({}),
  exit: exitSchema.prefault({}),
  breaker: breakerSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  budgets: budgetsSchema.prefault({}),
  notify: notifySchema.optional(),
  prices: setting(
    z.record(z.string().min(1), priceSchema).default({}),
    "by model, US dollars per million tokens, for agents that report no cost: [docs/budgets.md](budgets.md#prices)",
  ),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The sandbox for a role's sessions, and for checks and set-ups on its behalf. */
export function sandboxOf({ roles, sandbox }: Pick<Settings, "roles" | "sandbox">, role: Role): Sandbox {
  return roles[role].sandbox ?? sandbox;
}

/** The thresholds, which a policy file may hold and projects can share. */
const thresholds = { preset: true, exit: true, breaker: true, limits: true, budgets: true } as const;
export const policySchema = settingsSchema.pick(thresholds);

/** The schema of monoco.yaml: the settings, and the policy file below them. */
export const projectSchema = settingsSchema.extend({
  extends: setting(
    z.string().min(1).optional(),
    "a file with thresholds (`preset`, `exit`, `breaker`, `limits`, `budgets`) that apply where monoco.yaml sets none",
  ),
});
