/** Lists, fetches and pushes refs of a remote, as the person: with their credentials, and without a question at the terminal. */
import { setTimeout as sleep } from "node:timers/promises";
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { whyNot } from "../github/publish.ts";
import { runAsPerson } from "../person.ts";
import type { PersonRan, PersonRun } from "../person.ts";

export type Remote = { name: string; run: PersonRun };

/** All refs of the remote, or those of these patterns, with their objects. Throws `later` if it cannot be reached. */
export async function listRemote(
  { name, run }: Remote,
  patterns: readonly string[] = [],
): Promise<Map<string, string>> {
  const ran = await runAsPerson("git", ["ls-remote", "--quiet", name, ...patterns], run);
  if (ran.exitCode !== 0) throw await notReached({ name, run }, ran);
  const lines = ran.stdout.split("\n").filter((line) => line !== "" && !line.endsWith("^{}"));
  return new Map(lines.map((line) => [line.split("\t")[1] ?? "", line.split("\t")[0] ?? ""]));
}

/** Fetches by these refspecs, and removes local refs on their right side that the remote no longer has. */
export async function fetchRemote({ name, run }: Remote, refspecs: readonly string[]): Promise<void> {
  const options = ["--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  for (let tries = 1; ; tries += 1) {
    const ran = await runAsPerson(
      "git",
      ["fetch", ...options, "--no-auto-maintenance", name, ...refspecs],
      run,
    );
    if (ran.exitCode === 0) return;
    // Another git in this clone moves the same ref at this moment.
    if (tries >= 3 || !/cannot lock ref/.test(ran.stderr)) throw await notReached({ name, run }, ran);
  }
}

/** Names the remote that is missing, or says why it does not answer. */
async function notReached({ name, run }: Remote, ran: PersonRan): Promise<MonocoError> {
  const there = await runAsPerson("git", ["remote", "get-url", "--", name], run);
  if (there.exitCode !== 0)
    return new MonocoError("input", t`this repository has no remote ${name}`, {
      hint: t`git remote add ${name} URL, or name another one in monoco.yaml: remote: NAME`,
    });
  return away(name, whyNot(ran));
}

const away = (name: string, said: string): MonocoError =>
  new MonocoError("later", t`${name} does not answer: ${said}`, { hint: lookAt(name) });

/** Throws `input` if what is pushed does not come back by a fetch: the remote has a second address for pushes, of another repository. */
export async function refuseTwoPlaces(
  { name, run }: Remote,
  { ref, to }: Pick<Move, "ref" | "to">,
): Promise<void> {
  const [from, into] = await Promise.all(
    [[], ["--push"]].map((how) => runAsPerson("git", ["remote", "get-url", ...how, "--", name], run)),
  );
  if (from?.stdout === into?.stdout || (await listRemote({ name, run }, [ref])).get(ref) === to) return;
  await pushMoves({ name, run }, [{ ref, from: to, to: "" }]);
  throw new MonocoError("input", t`${name} is fetched from one repository and pushed to another`, {
    hint: t`git remote get-url --push ${name} shows where pushes go: several machines need one remote for both`,
  });
}

/** The advice on a remote that does not answer. */
export const lookAt = (name: string): string =>
  t`git ls-remote ${name} shows whether it is the network or the login; then run the same command again: nothing is lost`;

/** The move of a ref on the remote; `from` is the commit that it has there, "" for none. One whose `to` is "" is deleted. */
export type Move = { ref: string; from: string; to: string };

/** `moved`: somebody else moved a ref meanwhile. `refused`: the remote has a rule against it, a hook, or a lock. */
export type Pushed = { is: "taken" } | { is: "moved" | "refused" | "unreachable"; said: string };

/**
 * Moves all these refs or none, each only from the commit that is named: without it git would compare with what was fetched
 * last, and a fetch in the background would let a stale clone win.
 */
export async function pushMoves(
  { name, run }: Remote,
  moves: readonly Move[],
  options: readonly string[] = [],
  triesLeft = 3,
): Promise<Pushed> {
  const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from}`);
  const refspecs = moves.map(({ ref, to }) => `${to}:${ref}`);
  const how = ["--porcelain", "--no-follow-tags", "--recurse-submodules=no", ...options];
  // An old server cannot do it, and need not for a single one.
  if (moves.length > 1) how.unshift("--atomic");
  if (moves.every(({ ref }) => withoutWork.test(ref))) how.unshift("--no-verify");
  const ran = await runAsPerson("git", ["push", ...how, ...leases, "--", name, ...refspecs], run);
  if (ran.exitCode === 0) return { is: "taken" };
  const all = `${ran.stdout}\n${ran.stderr}`;
  const said = whyNot(ran);
  if (movedWords.test(all)) {
    // A hidden ref, a lock that was left behind, and missing rights sound the same.
    const now = await listRemote({ name, run });
    if (moves.some(({ ref, from }) => (now.get(ref) ?? "") !== from)) return { is: "moved", said };
    // Somebody else's push, or a clean-up there, has it for a moment.
    if (triesLeft > 1 && /cannot lock ref|Unable to create/.test(all)) {
      await sleep(lockedMs);
      return pushMoves({ name, run }, moves, options, triesLeft - 1);
    }
  }
  if (/^!|rejected|does not support/m.test(all)) return { is: "refused", said };
  // Whatever keeps git from the remote is fatal to it, or an error of its transport.
  if (ran.exitCode !== 1 || /^fatal:|RPC failed/m.test(all)) return { is: "unreachable", said };
  const [first = said] = ran.stderr.split("\n");
  return { is: "refused", said: t`a hook of this clone refuses it: ${first}` };
}

/** Leases and letters: a pre-push hook, which may run all tests, has nothing to judge in them. */
const withoutWork = /\/(?:lease|letters\/[^/]+)$/;

/** How soon to push again where a ref of the remote is locked, ms. */
const lockedMs = 1_000;

/** Throws if the remote took no push: `person` if it has a rule against it, `later` if it does not answer. */
export function refuseUntaken({ name }: Remote, pushed: { is: string; said?: string }): void {
  const { is, said = "" } = pushed;
  if (is === "unreachable") throw away(name, said);
  if (is === "refused")
    throw new MonocoError("person", t`${name} refuses the push: ${said}`, {
      hint: "docs/remote.md#what-a-remote-must-be-able-to-do",
    });
}

/** Git's words for a ref that is not at the commit which was named, or that others move at this moment. */
const movedWords =
  /stale info|but expected|reference already exists|failed to update ref|cannot lock ref|incorrect old value/;
