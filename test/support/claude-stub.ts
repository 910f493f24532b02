/** A program in the place of Claude Code, which records how it was started. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPlace, works } from "./place.ts";
import type { Place } from "./place.ts";

/** Session by session: what it does before its result, and how that tells its end. */
export type Turn = { does?: string; costUsd: number; says?: string; id?: string; verdict?: object };

const stub = (turns: readonly Turn[]): string => `#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit
how=none
while [ $# -gt 0 ]; do
  case "$1" in --session-id|--resume) how=$1; id=$2; shift;; esac
  shift
done
echo "$how $id" >> "$STUB/starts"
read -r _
say() { printf '%s\\n' "$1"; }
model=m
case $(wc -l < "$STUB/starts") in
${turns
  .map(
    ({ does = ":", costUsd, says = "I stop here.", id = "$id", verdict }, index) => `  *${index + 1})
    told="${id}"
    say '{"type":"system","subtype":"init","session_id":"'"$told"'","model":"m"}'
    ${does}
    say '{"type":"assistant","message":{"id":"m${index}","model":"m","content":[{"type":"text","text":${JSON.stringify(says).replaceAll("'", "")}}],"usage":{"input_tokens":1000,"output_tokens":1}}}'
    say '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","total_cost_usd":${costUsd},${verdict ? `"structured_output":${JSON.stringify(verdict).replaceAll("'", `'"'"'`)},` : ""}"usage":{"input_tokens":1000,"output_tokens":50}}';;`,
  )
  .join("\n")}
esac
`;

/** A relay whose Executor, or other role, is called claude; `starts` are its command lines, as `--session-id ID` or `--resume ID`. */
export async function openStub(
  turns: readonly Turn[],
  settings = "",
  role = "executor",
): Promise<Place & { starts(): string[]; run(...args: string[]): ReturnType<Place["monoco"]> }> {
  const place = await openPlace({ executor: [works], reviewer: [[{ verdict: "approve" }]] }, { settings });
  const folder = join(place.around, "bin");
  await place.sandbox.sh(place.around, "mkdir bin");
  writeFileSync(join(folder, "claude"), stub(turns), { mode: 0o755 });
  place.write(
    "monoco.yaml",
    place
      .read("monoco.yaml")
      .replace(
        "agents: {",
        `agents: { claude: { kind: claude, env: { STUB: ${JSON.stringify(place.around)} } },`,
      )
      .replace(`${role}: { agents: [a] }`, `${role}: { agents: [claude] }`),
  );
  await place.sh("git commit -qam Claude");
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  return {
    ...place,
    starts: () => readFileSync(join(place.around, "starts"), "utf8").trim().split("\n"),
    run: (...args) => place.sandbox.monoco(args, { cwd: place.project, env }),
  };
}
