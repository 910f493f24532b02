/** monoco replay: what other thresholds would have decided on recorded journals, and which would have been right most often. */
import { basename } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { examplesOf, fitPolicy, labelsMin, policyText } from "../../core/tuning/suggest-thresholds.ts";
import { scorePolicy } from "../../core/tuning/judge-policy.ts";
import { labelsOf } from "../../core/tuning/labels.ts";
import type { Label } from "../../core/tuning/labels.ts";
import { readSettings } from "../../core/settings/file.ts";
import type { Source } from "../../core/settings/layers.ts";
import { policySchema } from "../../core/settings/settings.ts";
import { whatIf } from "../../core/tuning/what-if.ts";
import { isThere, readDocument } from "../../store/document.ts";
import { writeNew } from "../../store/durable.ts";
import { printJson } from "../../views/json.ts";
import { fitLines, relayLines, scoreLines } from "../../views/replay-table.ts";
import { journalsHere, journalsIn } from "./journals.ts";
import type { KnownJournal } from "./journals.ts";
import { validId } from "../../app/valid-id.ts";
import { io, pathHere } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export type ReplayFlags = {
  journals?: string[];
  policy: string[];
  label: string[];
  fit: boolean;
  out?: string;
  json: boolean;
};

type Labelled = KnownJournal & { labels: Label[] };

export async function replayJournals(ids: string[], flags: ReplayFlags): Promise<number> {
  if (flags.fit === flags.policy.length > 0 || flags.policy.length > 2) {
    throw new MonocoError("input", t`monoco replay takes --policy FILE, once or twice, or --fit`, {
      hint: t`monoco replay --policy calm.yaml; monoco replay --fit --out policy.yaml`,
    });
  }
  const policies = flags.policy.map((file) => ({ name: file, source: policyFile(file) }));
  const { journals, code } = await chosen(ids, flags.journals);
  const labelled = withLabels(journals, flags.label);
  if (flags.fit) fit(labelled, flags);
  else compare(labelled, policies, flags.json);
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
      hint: t`name a file with thresholds; \`monoco replay --fit --out\` writes one`,
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

function fit(journals: readonly Labelled[], { out, json }: ReplayFlags): void {
  const examples = journals.flatMap(({ project, events, labels }) => examplesOf(project, events, labels));
  const fitted = fitPolicy(examples);
  if (!fitted) {
    throw new MonocoError("input", t`n = ${examples.length} labels: a fit needs at least ${labelsMin}`, {
      hint: t`name more journals (--journals DIR …), or label relays yourself: --label FEAT-0001=done`,
    });
  }
  const wrote = out !== undefined && fitted.advice === "take";
  if (wrote) writePolicy(out, policyText(fitted));
  if (json) printJson(fitted);
  else io().stdout.write(`${[...fitLines(fitted), ...(wrote ? [t`wrote ${out}`] : [])].join("\n")}\n`);
}

function writePolicy(file: string, text: string): void {
  const path = pathHere(file);
  if (isThere(path)) {
    throw new MonocoError("input", t`--out ${file}: the file is there already`, {
      hint: t`name another, or move it away`,
    });
  }
  writeNew(path, text);
}
