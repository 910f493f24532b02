/**
 * The sandbox around a program, by podman: the view that bubblewrap would give, in a container without an image.
 *
 * Podman, conmon and the container live in a PID namespace of ours, which ends with the program and with its runner. What
 * podman keeps (its store, its locks, the container's root) is in the memory of a mount namespace: nothing of it is left, and
 * the person's own containers and images are not touched.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError, wordsOf } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { asking } from "./go-ahead.ts";
import type { Lent } from "./go-ahead.ts";
import { networkWords, startWords } from "./network/words.ts";
import { mountsOf } from "./mounts.ts";
import type { Mount, View } from "./mounts.ts";
import { systemFolders, systemPath, systemProgram } from "./sandbox.ts";

const namespaces = "--user --map-root-user --pid --mount --mount-proc --fork --kill-child=KILL";

/** A folder that is everywhere, and that no container of ours is shown: in the mount namespace, the place of what podman keeps. */
const kept = "/dev/pts";
/** A store and settings of its own, no lock that all of the machine share. */
const store = `--root ${kept}/store --runroot ${kept}/run --tmpdir ${kept}/tmp --runtime-flag root=${kept}/oci --events-backend none --cgroup-manager cgroupfs`;
const fixed =
  "--rm --interactive --cgroups disabled --cap-drop all --security-opt no-new-privileges --security-opt label=disable --read-only --read-only-tmpfs=false --ulimit host --no-hosts --passwd=false --log-driver none";

/** Outside: what lies directly below / and is a link is one in the container, too. Of the PATH no program is taken here. */
const outside = [
  `monoco_path=$PATH; PATH=${systemFolders.join(":")}; monoco_absent=CONTAINERS_CONF`,
  'for monoco_name in HOME HOSTNAME TERM TMPDIR; do eval "test \\${$monoco_name+x}" || monoco_absent="$monoco_absent $monoco_name"; done',
  `mount -t tmpfs monoco ${kept} && mkdir ${kept}/root && printf '[engine]\\nlock_type="file"\\n' > ${kept}/conf && find / -maxdepth 1 -type l -exec cp -P -t ${kept}/root {} + || exit`,
  `HOME=${kept} CONTAINERS_CONF=${kept}/conf podman ${store} run ${fixed} --env-host --env "PATH=$monoco_path" --env "HOME=$HOME" --env "monoco_absent=$monoco_absent" "$@"; exit $?`,
].join("; ");

/** The container's first process: takes away what podman has added to the environment, makes links, hands a TERM on to the program's group, and ends with the program. */
const first = [
  "unset $monoco_absent monoco_absent",
  'while [ "$1" != -- ]; do mkdir -p "${2%/*}"; ln -s "$1" "$2" || exit; shift 2; done; shift',
  `trap : INT; monoco_on='trap "" TERM; kill -TERM 0; trap "$monoco_on" TERM'; trap "$monoco_on" TERM`,
  'exec 3<&0; "$@" <&3 3<&- & exec 3<&- < /dev/null',
  "while :; do wait $!; monoco_status=$?; kill -0 $! 2> /dev/null || exit $monoco_status; done",
].join("; ");

/** The words before a program's own: it is started in `cwd`, and sees what `view` says. */
export function container(view: View, cwd: string, lent: Lent = "nothing"): string[] {
  const mounts = mountsOf(view);
  const ids = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const links = mounts.flatMap((mount) => (mount.as === "link" ? [mount.to, mount.at] : []));
  return [
    systemPath("setpriv"),
    ..."--pdeathsig KILL --".split(" "),
    systemPath("unshare"),
    ...`${namespaces} -- /bin/sh -c`.split(" "),
    `${asking(lent)}${outside}`,
    "monoco-session",
    ...ids.flatMap((id, at) => [at === 0 ? "--uidmap" : "--gidmap", `${id}:0:1`]),
    ..."--user".split(" "),
    ids.join(":"),
    ...`--network ${view.network ? "none" : "host --dns none"}`.split(" "),
    ...networkWords(view.network).flatMap((word, at, all) =>
      word === "--setenv" ? ["--env", `${all[at + 1]}=${all[at + 2]}`] : [],
    ),
    ...volumes(mounts),
    ..."--workdir".split(" "),
    cwd,
    ...`--rootfs ${kept}/root /bin/sh -c`.split(" "),
    first,
    "monoco-session",
    ...links,
    "--",
    systemPath("env"),
    ..."--default-signal=TERM,INT,QUIT,HUP /bin/sh -c".split(" "),
    ...startWords(view.network, "goes"),
  ];
}

function volumes(mounts: readonly Mount[]): string[] {
  const own = new Map(mounts.map((mount) => [mount.at, mount]));
  const above = (path: string): Mount | undefined =>
    own.get(path) ?? (path === "/" ? undefined : above(dirname(path)));
  // Links are made by the first process, which can make none in what is read-only.
  const linked = mounts.filter(({ as }) => as === "link").map(({ at }) => above(dirname(at))?.at);
  const system = [...new Set([...topLevel(), ...mountPoints()])].filter(
    (path) => !own.has(path) && (above(path)?.as ?? "read") === "read",
  );
  return [...system.map((at): Mount => ({ at, as: "read" })), ...mounts].flatMap((mount) => {
    const { as, at } = mount;
    if (as === "link") return [];
    if (at.includes(":"))
      throw new MonocoError(
        "input",
        t`sandbox: container cannot show ${at}: podman takes no path with a colon`,
      );
    if (as === "file") return ["--volume", `/dev/null:${at}:ro,dev`];
    if (as !== "folder") return ["--volume", `${at}:${at}:${as === "write" ? "rw" : "ro"}`];
    const mode = mount.closed && !linked.includes(at) ? "ro" : "rw";
    return ["--tmpfs", `${at}:${mode},notmpcopyup,mode=755`];
  });
}

/** The container has its own. */
const isOwn = (path: string): boolean => /^\/(?:dev|proc)(?:\/|$)/.test(path);

function topLevel(): string[] {
  return readdirSync("/", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map(({ name }) => join("/", name))
    .filter((path) => !isOwn(path));
}

/** What is mounted below a folder comes with it, and would stay writable. */
function mountPoints(): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "/")
    .map((path) =>
      path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
    )
    .filter((path) => path !== "/" && !isOwn(path) && existsSync(path));
}

let failure: string | undefined;
let tried = false;

const trialMsMax = 20_000;

/** Why podman does not work on this machine; undefined where it does. The whole command line is tried once. */
export function whyNoContainer(): string | undefined {
  if (!tried) failure = tryContainer();
  tried = true;
  return failure;
}

function tryContainer(): string | undefined {
  if (process.platform !== "linux") return t`monoco has it on Linux only`;
  if (systemProgram("podman") === undefined)
    return systemProgram("docker") === undefined
      ? t`podman is not installed`
      : t`docker is here and podman is not: a container of docker's belongs to its service, and would outlive monoco`;
  const hidden = ["/tmp", "/home"].filter((path) => existsSync(path));
  let words: string[];
  try {
    words = container({ hidden, scratch: [], read: [], write: [] }, "/");
  } catch (error) {
    return wordsOf(error);
  }
  const { status, stderr, error } = spawnSync(words[0]!, [...words.slice(1), "true"], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: trialMsMax,
    killSignal: "SIGKILL",
  });
  if (status === 0) return undefined;
  const said = (stderr ?? "").trim().split("\n").at(-1) ?? "";
  return t`podman could not start: ${(error?.message ?? said).slice(0, 300)}`;
}
