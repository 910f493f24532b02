/** monoco replay: what other thresholds would have decided on recorded journals. */
import { basename } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { scorePolicy } from "../../core/tuning/judge-policy.ts";
import { labelsOf } from "../../core/tuning/labels.ts";
import type { Label } from "../../core/tuning/labels.ts";
import { readSettings } from "../../core/settings/file.ts";
import type { Source } from "../../core/settings/layers.ts";
import { policySchema } from "../../core/settings/settings.ts";
import { whatIf } from "../../core/tuning/what-if.ts";
import { isThere, readDocument } from "../../store/document.ts";
import { printJson } from "../../views/json.ts";
import { relayLines, scoreLines } from "../../views/replay-table.ts";
import { journalsHere, journalsIn } from "./journals.ts";
import type { KnownJournal } from "./journals.ts";
import { validId } from "../../app/valid-id.ts";
import { io, pathHere } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type ReplayFlags = {
  journals?: string[];
  policy: string[];
  label: string[];
  json: boolean;
};

type Labelled = KnownJournal & { labels: Label[] };

export async function replayJournals(ids: string[], flags: ReplayFlags): Promise<number> {
  if (flags.policy.length === 0 || flags.policy.length > 2) {
    throw new MonocoError("input", t`monoco replay takes --policy FILE, once or twice`, {
      hint: t`monoco replay --policy calm.yaml --policy eager.yaml`,
    });
  }
  const policies = flags.policy.map((file) => ({ name: file, source: policyFile(file) }));
  const { journals, code } = await chosen(ids, flags.journals);
  compare(withLabels(journals, flags.label), policies, flags.json);
  return code;
}

async function chosen(ids: readonly string[], folders: readonly string[] | undefined) {
  if (!folders) return journalsHere(ids);
  const found = journalsIn(folders);
  const wanted = ids.map(validId);
  const missing = wanted.find((id) => !found.journals.some(({ issue }) => issue === id));
  if (missing) {
    throw new MonocoError("input", t`${missing} has no journal in ${folders.join(", ")}`, {
      hint: t`there are: ${found.journals.map(({ issue }) => issue).join(", ")}`,
    });
  }
  const journals = found.journals.filter(({ issue }) => wanted.length === 0 || wanted.includes(issue));
  return { ...found, journals };
}

function policyFile(file: string): Source {
  const path = pathHere(file);
  if (!isThere(path)) {
    throw new MonocoError("input", t`--policy: no such policy file: ${file}`, {
      hint: t`name a file with thresholds, as in monoco.yaml`,
    });
  }
  return readSettings({ text: readDocument(path), file, from: "policy", schema: policySchema });
}

/** `--label FEAT-0001=done`. */
function withLabels(journals: readonly KnownJournal[], words: readonly string[]): Labelled[] {
  const said = new Map<string, "done" | "not_done">();
  for (const word of words) {
    const [, id = "", truth] = /^([^=]+)=(done|not-done)$/.exec(word) ?? [];
    if (truth === undefined || !journals.some(({ issue }) => issue === id)) {
      throw new MonocoError("input", t`--label ${word}: it labels none of the relays replayed`, {
        hint: t`write it like --label FEAT-0001=done, or FEAT-0001=not-done`,
      });
    }
    said.set(id, truth === "done" ? "done" : "not_done");
  }
  return journals.map((journal) => ({
    ...journal,
    labels: labelsOf(journal.issue, journal.events, said.get(journal.issue)),
  }));
}

function compare(
  journals: readonly Labelled[],
  policies: readonly { name: string; source: Source }[],
  json: boolean,
): void {
  const asRecorded = { name: "recorded", source: nothing };
  const replayed = [asRecorded, ...policies].map(({ name, source }) => ({
    name: basename(name),
    relays: journals.map(({ events, labels }) => ({ events, labels, whatIf: whatIf(events, source) })),
  }));
  const scores = replayed.map(({ name, relays }) => ({ name, score: scorePolicy(relays) }));
  const relays = journals.map(({ issue, project, labels }, index) => ({
    issue,
    project,
    labels,
    policies: replayed.slice(1).map(({ name, relays: column }) => ({ name, whatIf: column[index]!.whatIf })),
  }));
  if (json) printJson({ relays, scores });
  else io().stdout.write(`${[...relays.flatMap(relayLines), ...scoreLines(scores)].join("\n")}\n`);
}

/** A policy that sets nothing decides as it was recorded. */
const nothing: Source = { values: {}, at: () => ({ from: "default", where: "default" }) };
