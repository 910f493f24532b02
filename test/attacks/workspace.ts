/**
 * What a session leaves in its clone and its outbox for monoco to stumble over: links, pipes, sockets, devices, borrowed objects.
 * Each is left by a session of its own, of one relay; the last one submits.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";
import { expect } from "vitest";
import { openPlace, run, submit } from "../support/place.ts";
import type { Place } from "../support/place.ts";
import { initRepository, temporaryFolder } from "../support/repository.ts";
import { shared } from "./attack.ts";
import type { Attack, Stand } from "./attack.ts";

/** What the relay came to, once it is over. */
type Seen = {
  place: Place;
  outside: string;
  /** From the start of its session to that of the next. */
  tookMs: number;
  /** Whether its mark is in an object, a prompt, a handoff or a journal of the person's. */
  isLeaked: boolean;
};

/**
 * `$OUTSIDE` is a folder of the person's with `secret`, `letter.json` and a repository in `other`; in all of them is `$MARK`.
 * `naive` succeeds where a program that does not look out falls for it.
 */
type Row = {
  name: string;
  /** Rows with the same word here are of one session. */
  with?: string;
  plant: string;
  fired: (seen: Seen) => boolean;
  naive: string;
};

/** A session takes a second or two: what waits for a pipe takes at least a minute, the limit of git in a workspace. */
const hangsFromMs = 40_000;
const leaks = ({ isLeaked }: Seen): boolean => isLeaked;
const hangs = ({ tookMs }: Seen): boolean => !(tookMs < hangsFromMs);
const waits = (command: string): string => `timeout 2 ${command} > /dev/null 2>&1; test $? = 124`;
const person = (path: string) => (seen: Seen) => join(seen.place.project, path);

const rows: Row[] = [
  {
    name: "a committed link to a file outside",
    with: "a",
    plant: 'ln -s "$OUTSIDE/secret" link && git add -A && git commit -qm link',
    fired: leaks,
    naive: 'grep -Rq "$MARK" .',
  },
  {
    name: "a link in the place of a folder",
    with: "a",
    plant: 'mkdir d && echo 1 > d/secret && git add -A && git commit -qm d && rm -r d && ln -s "$OUTSIDE" d',
    fired: leaks,
    naive: 'grep -q "$MARK" d/secret',
  },
  {
    name: "a handoff that is a link",
    with: "a",
    plant: 'ln -s "$OUTSIDE/secret" RALPH.md',
    fired: leaks,
    naive: 'grep -q "$MARK" RALPH.md',
  },
  {
    name: "a handoff that is a pipe",
    with: "b",
    plant: "mkfifo RALPH.md",
    fired: hangs,
    naive: waits("cat RALPH.md"),
  },
  {
    name: "a handoff that is a link to a device",
    with: "c",
    plant: "ln -s /dev/zero RALPH.md",
    fired: hangs,
    naive: waits("cat RALPH.md"),
  },
  {
    name: "a pipe for .gitignore",
    with: "a",
    plant: "mkfifo .gitignore",
    fired: hangs,
    naive: waits("git status"),
  },
  {
    name: "a pipe for .gitattributes in a folder",
    with: "b",
    plant: "mkdir e && echo 1 > e/e.txt && mkfifo e/.gitattributes",
    fired: hangs,
    naive: waits("git add e/e.txt"),
  },
  {
    name: "a pipe in the place of a file",
    with: "a",
    plant: "rm monoco.yaml && mkfifo monoco.yaml",
    fired: hangs,
    naive: waits("cat monoco.yaml"),
  },
  {
    name: "a socket in the place of a file",
    with: "b",
    plant: `rm monoco.yaml && node -e 'require("net").createServer().listen("monoco.yaml", () => process.kill(process.pid, 9))' || test -S monoco.yaml`,
    fired: hangs,
    naive: "! cp monoco.yaml copy 2> /dev/null",
  },
  {
    name: "a file of 200 GB without a byte in it",
    with: "c",
    plant: "truncate -s 200G big.bin",
    fired: hangs,
    naive: waits("cat big.bin"),
  },
  {
    name: "a letter that is a pipe",
    with: "a",
    plant: 'mkfifo "$MONOCO_SESSION_DIR/outbox/1.json"',
    fired: hangs,
    naive: waits('cat "$MONOCO_SESSION_DIR/outbox/1.json"'),
  },
  {
    name: "a letter that is a link",
    with: "b",
    plant: 'ln -s "$OUTSIDE/letter.json" "$MONOCO_SESSION_DIR/outbox/1.json"',
    fired: leaks,
    naive: 'grep -q "$MARK" "$MONOCO_SESSION_DIR/outbox/1.json"',
  },
  {
    name: "an outbox that is a link",
    with: "c",
    plant:
      'mv "$MONOCO_SESSION_DIR/outbox" "$MONOCO_SESSION_DIR/old" && ln -s "$OUTSIDE" "$MONOCO_SESSION_DIR/outbox"',
    fired: (seen) => leaks(seen) || !existsSync(join(seen.outside, "letter.json")),
    naive: 'rm "$MONOCO_SESSION_DIR"/outbox/*.json && test ! -e "$OUTSIDE/letter.json"',
  },
  {
    name: "a .git that names the person's",
    plant: 'rm -rf .git && echo "gitdir: $PERSON/.git" > .git',
    fired: (seen) => !existsSync(person(".git/HEAD")(seen)),
    naive: 'rm -rf "$(git rev-parse --git-dir)" && test ! -e "$PERSON/.git"',
  },
  {
    name: "a .git that is a link to the person's",
    plant: 'rm -rf .git && ln -s "$PERSON/.git" .git',
    fired: (seen) => !existsSync(person(".git/HEAD")(seen)),
    naive: 'rm -rf .git/* && test ! -e "$PERSON/.git/HEAD"',
  },
  {
    name: "a worktree that is the person's",
    plant: 'git config core.worktree "$PERSON"',
    fired: (seen) => !readFileSync(person("monoco.yaml")(seen), "utf8").includes("# the person's"),
    naive: 'git checkout -q -f HEAD -- monoco.yaml && ! grep -q "# the person" "$PERSON/monoco.yaml"',
  },
  {
    name: "objects borrowed from another repository, and a link to its branch",
    plant:
      'echo "$OUTSIDE/other/.git/objects" > .git/objects/info/alternates && ln -s "$OUTSIDE/other/.git/refs/heads/main" .git/refs/heads/stolen',
    fired: leaks,
    naive: 'git show refs/heads/stolen:secret | grep -q "$MARK"',
  },
  {
    name: "folders of objects and branches that are another repository's",
    plant:
      'for d in "$OUTSIDE"/other/.git/objects/??; do if test -e .git/objects/${d##*/}; then ln -sf "$d"/* .git/objects/${d##*/}/; else ln -s "$d" .git/objects/; fi; done; ln -s "$OUTSIDE/other/.git/refs/heads" .git/refs/heads/stolen',
    fired: leaks,
    naive: 'git show refs/heads/stolen/main:secret | grep -q "$MARK"',
  },
  {
    name: "a .git that is another repository's",
    plant: 'rm -rf .git && echo "gitdir: $OUTSIDE/other/.git" > .git',
    fired: leaks,
    naive: 'git show HEAD:secret | grep -q "$MARK"',
  },
  {
    name: "a .git whose objects and branches are another's (commondir)",
    plant: 'echo "$OUTSIDE/other/.git" > .git/commondir',
    fired: leaks,
    naive: 'git show refs/heads/main:secret | grep -q "$MARK"',
  },
  {
    name: "a workspace that is a repository itself, and borrows another's objects",
    plant:
      'rm -rf .git && mkdir -p objects/info refs/heads && echo "ref: refs/heads/main" > HEAD && echo "$OUTSIDE/other/.git/objects" > objects/info/alternates && ln -s "$OUTSIDE/other/.git/refs/heads/main" refs/heads/main',
    fired: leaks,
    naive: 'git clone -q --bare . ../stolen && git -C ../stolen show HEAD:secret | grep -q "$MARK"',
  },
  {
    name: "an object in another's place (git replace)",
    plant:
      "echo good > r.txt && git add -A && git commit -qm r && git replace $(git rev-parse HEAD:r.txt) $(echo evil | git hash-object -w --stdin)",
    fired: ({ place }) =>
      !readFileSync(join(place.project, "r.txt"), "utf8").includes("good") ||
      existsSync(join(place.project, ".git/refs/replace")),
    naive: "git show HEAD:r.txt | grep -q evil",
  },
  {
    name: "a history that is cut (shallow)",
    plant: "git commit -q --allow-empty -m cut && git rev-parse HEAD > .git/shallow",
    fired: (seen) => existsSync(person(".git/shallow")(seen)),
    naive: "test $(git rev-list --count HEAD) = 1",
  },
  {
    name: "a commit whose tree holds .git/hooks",
    plant:
      'b=$(printf "#!/bin/sh\\n" | git hash-object -w --stdin) && h=$(printf "100755 blob $b\\tpost-merge\\n" | git mktree) && g=$(printf "040000 tree $h\\thooks\\n" | git mktree) && t=$({ git ls-tree HEAD; printf "040000 tree $g\\t.git\\n"; } | git mktree) && git update-ref HEAD $(git commit-tree -p HEAD -m evil $t)',
    fired: (seen) => existsSync(person(".git/hooks/post-merge")(seen)),
    naive:
      'git ls-tree -r --name-only HEAD | while read -r p; do mkdir -p "$(dirname "$p")"; git cat-file -p "HEAD:$p" > "$p"; done; test -e .git/hooks/post-merge',
  },
];

const markOf = (row: Row): string => `MARK-${rows.indexOf(row)}-`;
const placeOf = (row: Row): string => `outside/${rows.indexOf(row)}`;
const outsideOf = (around: string, row: Row): string => join(around, placeOf(row));
const sessions = [...Map.groupBy(rows, (row) => row.with ?? row.name).values()];

/** What the person has outside, for each row. */
function makeOutside(around: string, row: Row): string {
  const folder = outsideOf(around, row);
  const mark = markOf(row);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "secret"), `${mark}\n`);
  writeFileSync(
    join(folder, "letter.json"),
    JSON.stringify({ id: "letter", atMs: 1, type: "ask", question: mark }),
  );
  const other = join(folder, "other");
  initRepository(other, { name: "P", email: "p@example.com" });
  sh(other, `echo '${mark}' > secret && git add -A && git commit -qm secret`);
  return folder;
}

function sh(cwd: string, script: string, env: Record<string, string> = {}): number | undefined {
  return execaSync("/bin/sh", ["-c", script], { cwd, env, reject: false, stdin: "ignore", timeout: 30_000 })
    .exitCode;
}

/** What the session before has left in the workspace goes first. */
const clean = "git reset -q --hard; git clean -fdxq";

const play = shared(async (stand: Stand): Promise<ReadonlySet<string>> => {
  const session = (of: Row[], at: number): unknown[] => {
    const plants = of.map((row) => `(OUTSIDE="$(dirname "$PERSON")/${placeOf(row)}"; ${row.plant}); `);
    return [run(`${clean}; echo ${at} > n.txt; git add -A; git commit -qm ${at}; ${plants.join("")}`)];
  };
  const place = await openPlace(
    {
      executor: [...sessions.map(session), [run(`${clean}; echo end > n.txt; git commit -qam end`), submit]],
      reviewer: [[{ verdict: "approve" }]],
    },
    {
      limits: { sessionsMax: 60, stalledMax: 60 },
      settings: `sandbox: ${stand}\ngates: { protected: reviewer }\n# the person's\n`,
    },
  );
  for (const row of rows) makeOutside(place.around, row);
  const ran = await place.monoco("run", "FEAT-0001");
  expect(ran).toMatchObject({ exitCode: 0 });
  const begun = place.all("session.started").map((event) => Number(Reflect.get(event, "atMs")));
  const known = knownTo(place);
  const fired = rows.filter((row) => {
    const at = sessions.findIndex((of) => of.includes(row));
    return row.fired({
      place,
      outside: outsideOf(place.around, row),
      tookMs: begun[at + 1]! - begun[at]!,
      isLeaked: known.includes(markOf(row)),
    });
  });
  return new Set(fired.map(({ name }) => name));
});

/** All objects of the person's repository, and all that monoco has written down. */
function knownTo({ project }: Place): string {
  const script =
    "git cat-file --batch-all-objects --batch --buffer | grep -aho 'MARK-[0-9]*-'; grep -rsaho -D skip 'MARK-[0-9]*-' .monoco";
  return execaSync("/bin/sh", ["-c", script], { cwd: project, reject: false }).stdout;
}

/** The payload in a plain clone, and what does not look out there. */
function isLive(row: Row): boolean {
  const around = temporaryFolder();
  const [person, workspace, session] = ["person", "clone", "session"].map((name) => join(around, name));
  initRepository(person!, { name: "P", email: "p@example.com" });
  mkdirSync(join(session!, "outbox"), { recursive: true });
  sh(
    person!,
    'echo begin > monoco.yaml && git add -A && git commit -qm Begin && echo "# the person\'s" >> monoco.yaml',
  );
  const env = {
    PERSON: person!,
    OUTSIDE: makeOutside(around, row),
    MARK: markOf(row),
    MONOCO_SESSION_DIR: session!,
    GIT_CONFIG_GLOBAL: join(person!, ".git/config"),
  };
  sh(around, "git clone -q person clone", env);
  return sh(workspace!, row.plant, env) === 0 && sh(workspace!, row.naive, env) === 0;
}

export const workspaceAttacks: Attack[] = rows.map((row) => ({
  area: "workspace",
  name: row.name,
  promised: "always",
  stands: ["none", "bwrap"],
  fires: async (stand) => (await play(stand)).has(row.name),
  control: () => Promise.resolve(isLive(row)),
}));
