/** What a machine can be short of, and what an agent can have too much of. */
import type { Strain as InPlace } from "../place/place.ts";

const MB = 1_000_000;
const dayMs = 24 * 60 * 60 * 1000;

export type Strain = InPlace & {
  name: string;
  /** A command line that runs the runner. */
  under?: readonly string[];
  /** Runs after one another, each with a clock so many ms beside the true one: all but the last are ended in the second session. */
  clocks?: readonly number[];
  timezone?: string;
  /** The state folder lies on a disk of its own, which may be read-only. */
  disk?: { mebibytes: number; files: number; readOnly?: boolean };
  /** All runs are this user's, and so is the place. */
  user?: number;
  /** Commands of a shell in the sandbox's folder, as root: before the strained run, and once the strain is gone. */
  strained?: string;
  relieved?: string;
  /** So many relays were merged before. */
  finished?: number;
};

/** `share` of what the long programme does. */
export function strainsOf(share: number, nowMs: number): Strain[] {
  const some = (many: number): number => Math.round(many * share);
  const limited = (name: string, limit: string): Strain => ({
    name,
    under: ["/bin/sh", "-c", `${limit}; exec "$@"`, "sh"],
  });
  // By the first session alone: three that are ended for it would open the breaker.
  const printed = (name: string, command: string): Strain => ({
    name,
    prelude: `[ "$MONOCO_SESSION" != 1 ] || { ${command}; }`,
  });
  const lineOf = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x; echo`;
  return [
    ...[24, 36, 48].map((files) => limited(`${files} open files`, `ulimit -n ${files}`)),
    limited("files of 24 KiB", "ulimit -f 48"),
    limited("umask 077", "umask 077"),
    ...ofAnother(),
    { name: `${some(1_000)} merged relays`, finished: some(1_000), before: choresOf(some(1_000), "closed") },
    { name: "a disk that is read-only", disk: { mebibytes: 64, files: 0, readOnly: true } },
    { name: "a disk of 2 MiB", disk: { mebibytes: 2, files: 0 } },
    { name: "a disk of 100 files", disk: { mebibytes: 64, files: 100 } },
    printed(`a line of 100 MB`, lineOf(100 * MB)),
    printed(`${some(100)} MB of short lines`, `yes 0123456789 | head -c ${some(100 * MB)}`),
    printed(
      `${some(100)} MB of nested JSON`,
      `yes "$(printf '%0400d' 0 | tr 0 '[')" | head -c ${some(100 * MB)}`,
    ),
    printed(`${some(1_000)} MB of stderr`, `yes 0123456789 | head -c ${some(1_000 * MB)} >&2`),
    {
      name: `${some(100_000)} tracked files`,
      before: `mkdir many && cd many && seq ${some(100_000)} | split -l 1 -a 6 - && cd ..`,
    },
    {
      name: `${some(50_000)} ignored files`,
      before: "mkdir many && echo 'ignored/' >many/.gitignore",
      prelude: `mkdir -p many/ignored && (cd many/ignored && seq ${some(50_000)} | split -l 1 -a 6 -)`,
    },
    { name: `${some(10_000)} issues`, before: choresOf(some(10_000)) },
    { name: "a clock a day ahead, then a day behind", clocks: [dayMs, -dayMs] },
    { name: "the hour that comes twice", timezone: "Europe/Berlin", clocks: twice(nowMs) },
  ];
}

/** The clock goes back at 01:00 UTC on the last Sunday of October: 3 s before it, then half an hour after it. */
function twice(nowMs: number): number[] {
  const back = Date.UTC(2026, 9, 25, 1);
  return [back - 3_000 - nowMs, back + 30 * 60 * 1000 - nowMs];
}

/** Of a user who is not root: root may do anything. The number is nobody's, or its other processes would count. */
const user = 61_423;

function ofAnother(): Strain[] {
  const foreign = (name: string, path: string): Strain => ({
    name,
    user,
    strained: `mkdir -p ${path} && echo hers >${path}/hers && chown -R 0:0 ${path} && chmod 700 ${path}`,
    relieved: `rm -r ${path} && chown -R ${user}:${user} .`,
  });
  return [
    ...[8, 14, 20, 40].map((tasks) => ({
      name: `${tasks} processes and threads`,
      user,
      under: ["prlimit", `--nproc=${tasks}`, "--"],
    })),
    foreign("another user's folder in the project", "project/hers"),
    foreign("another user's folder among the relays", "project/.monoco/relays"),
    foreign("another user's folder for clones", "state/monoco"),
  ];
}

function choresOf(count: number, status = "open"): string {
  return `for n in $(seq ${count}); do
  id=CHORE-$(printf '%05d' $n)
  printf -- '---\\nid: %s\\ntitle: Sweep\\nstatus: ${status}\\nstage: ${status === "open" ? "draft" : "done"}\\n---\\n\\n## Objective\\n\\nA clean floor.\\n\\n## Acceptance Criteria\\n\\n- [ ] It is clean\\n' $id >issues/$id-sweep.md
done`;
}
