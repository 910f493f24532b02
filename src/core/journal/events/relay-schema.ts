/** Events of a relay as a whole: opened, stopped, resumed, blocked, given up, cleared, pulled. */
import { z } from "zod";
import { criticalities } from "../../issue/vocabulary.ts";
import { settingsSchema } from "../../settings/settings.ts";
import { blockReasonSchema, ofOlderJournals } from "../../reason/block-schema.ts";
import { personReasonSchema } from "../../reason/ending-schema.ts";
import { cancelReasonSchema } from "../../reason/reason-schema.ts";
import { hintSchema } from "../../error/hint-schema.ts";
import { loopSchema } from "../loop-schema.ts";
import { by, commit, count, origins, preset, sha256, via } from "./fields.ts";

/** Requirements that a person can waive when a relay is opened: criteria, and finished dependencies. */
const waivers = ["criteria", "dependencies"] as const;

/** What a person's repository says of a relay when it opens, or is taken over from another machine. */
const terms = {
  title: z.string(),
  contract: z.object({ path: z.string(), text: z.string(), sha256 }),
  branch: z.string(),
  settings: settingsSchema,
  settingsSha256: sha256,
  origins: origins.optional(),
  preset: preset.optional(),
  /** The policy file of the command line; `relay resume` uses it again. */
  policy: z.string().optional(),
  /** The texts of the roles, pinned with the contract. */
  roleTexts: z.object({ executor: z.string(), reviewer: z.string() }),
  /** The criticality of the issue, for gates. */
  criticality: z.enum(criticalities).optional(),
  /** The requirements that a person waived. */
  waived: z.array(z.enum(waivers)).optional(),
};

export const relaySchemas = [
  z
    .object({
      type: z.literal("relay.opened"),
      issue: z.string(),
      base: z.string(),
      baseCommit: commit,
      ...terms,
      /** The loop, if this is one: its contract is made from its prompt, and is in no file on the base. */
      loop: loopSchema.optional(),
    })
    .describe(
      "a relay was opened: contract, base, branch, settings (with their origins) and roles in force, and what a person let it be opened without (`waived`)",
    ),
  z
    .object({ type: z.literal("relay.paused"), by, via, reason: personReasonSchema })
    .describe("somebody stopped it"),
  z
    .object({
      type: z.literal("relay.resumed"),
      by,
      /** The new settings, if the person's settings differ from those in force; in force from here on. */
      settings: settingsSchema.optional(),
      settingsSha256: sha256.optional(),
      origins: origins.optional(),
      preset: preset.optional(),
      policy: z.string().optional(),
      /** The differences between the settings, in words. */
      changes: z.array(z.string()).optional(),
    })
    .describe("somebody let it go on, with the current settings if they have changed, and what has changed"),
  z
    .object({
      type: z.literal("relay.blocked"),
      reason: z.preprocess(ofOlderJournals, blockReasonSchema),
      hint: hintSchema,
    })
    .describe(
      "a person is needed: by which rule, why, and what to do (the ways that lead on, each a list of steps)",
    ),
  z
    .object({ type: z.literal("relay.cancelled"), by, reason: cancelReasonSchema })
    .describe("given up, or its pull request was closed without a merge"),
  z
    .object({ type: z.literal("relay.cleared"), by })
    .describe("its clones are removed; the next run opens anew"),
  z
    .object({
      type: z.literal("relay.pulled"),
      remote: z.string(),
      /** A remote run took the relay over: it goes on with this machine's terms, unless it is over. */
      goesOn: z.literal(true).optional(),
      terms: z.object(terms).optional(),
      /** The prepared merge is on the base already: only its end is left to record. */
      landed: z.literal(true).optional(),
      /** The sessions whose uncommitted work the remote does not have; 0 is a person's own. */
      lost: z.array(count).optional(),
    })
    .describe(
      "what is above came from a remote, where another clone recorded it: nothing of it is in force here, and the next run opens anew; or (`goesOn`) the relay goes on by this machine's terms, and is checked and reviewed again",
    ),
] as const;
