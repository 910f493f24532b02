/** monoco replay: the decisions that other thresholds would have made on recorded journals. */
import { basename } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { readSettings } from "../../core/settings/file.ts";
import type { Source } from "../../core/settings/layers.ts";
import { policySchema } from "../../core/settings/settings.ts";
import { whatIf } from "../../core/tuning/what-if.ts";
import { isThere, readDocument } from "../../store/document.ts";
import { printJson } from "../../views/json.ts";
import { relayLines } from "../../views/replay-table.ts";
import { journalsHere, journalsIn } from "./journals.ts";
import { validId } from "../../app/valid-id.ts";
import { io, pathHere } from "../../io/io.ts";
import { counted } from "../../core/language/counted.ts";
import { t } from "../../core/language/translate.ts";

export type ReplayFlags = {
  journals?: string[];
  policy: string;
  json: boolean;
};

export async function replayJournals(ids: string[], flags: ReplayFlags): Promise<number> {
  const source = policyFile(flags.policy);
  const policy = basename(flags.policy);
  const { journals, code } = await chosen(ids, flags.journals);
  const relays = journals.map(({ issue, project, events }) => ({
    issue,
    project,
    ...whatIf(events, source),
  }));
  const differing = relays.filter(({ differs }) => differs !== null).length;
  const lines = relays.flatMap(({ issue, ...compared }) => relayLines(issue, policy, compared));
  if (flags.json) printJson({ policy, relays });
  else
    io().stdout.write(
      `${[...lines, t`${policy} decides otherwise in ${differing} of ${counted(relays.length, "relay")}`].join("\n")}\n`,
    );
  return code;
}

async function chosen(ids: readonly string[], folders: readonly string[] | undefined) {
  if (!folders) return journalsHere(ids);
  const read = journalsIn(folders);
  const wanted = ids.map(validId);
  const missing = wanted.find((id) => !read.journals.some(({ issue }) => issue === id));
  if (missing) {
    throw new MonocoError("input", t`${missing} has no journal in ${folders.join(", ")}`, {
      hint: t`there are: ${read.journals.map(({ issue }) => issue).join(", ")}`,
    });
  }
  const journals = read.journals.filter(({ issue }) => wanted.length === 0 || wanted.includes(issue));
  return { ...read, journals };
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
