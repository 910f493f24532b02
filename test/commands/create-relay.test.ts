/** createRelay, as a program uses it: the built package, in a process of its own or in this one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { createRelay, MonocoError } from "../../dist/index.js";
import type { RelayOptions, RelayResult, RelaySession } from "../../dist/index.js";
import { temporaryRepository } from "../support/repository.ts";
import type { TestRepository } from "../support/repository.ts";
import { full as test, testRows } from "../support/full.ts";

const adds = `echo "line $MONOCO_SESSION" >> work.txt && git add -A && git commit -qm "Add a line"`;
const promises = 'echo "<promise>COMPLETE</promise>"';

/** A repository with an agent that adds a line a session, and promises at the third. */
async function makeRepository(
  agent = `${adds}; echo "added"; [ "$MONOCO_SESSION" -lt 3 ] || ${promises}`,
): Promise<TestRepository> {
  const repository = await temporaryRepository({ "README.md": "A project.\n" });
  await repository.commit({ "agent.sh": `#!/bin/sh\ncat > /dev/null\n${agent}\n` });
  await repository.git("update-index", "--chmod=+x", "agent.sh");
  await repository.git("commit", "-qm", "Executable");
  await repository.git("checkout", "-q", "--", ".");
  process.env["XDG_STATE_HOME"] = join(repository.outside, "state");
  return repository;
}

const options = (repository: TestRepository, more: Partial<RelayOptions> = {}): RelayOptions => ({
  prompt: "Write work.txt.",
  folder: repository.folder,
  agent: { kind: "command", run: ["./agent.sh"] },
  ...more,
});

it("the example of docs/library.md does what it says", async () => {
  const repository = await makeRepository();
  const docs = readFileSync(new URL("../../docs/library.md", import.meta.url), "utf8");
  const example = /```ts\n([^]*?)```/.exec(docs)![1]!;
  const index = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
  await repository.commit({ "example.ts": example.replace('"monoco"', JSON.stringify(index)) });
  const { stdout } = await execa(process.execPath, ["example.ts"], { cwd: repository.folder });
  expect(stdout.split("\n")).toEqual([
    ...[1, 2, 3].flatMap((n) => [
      `session ${n} by given`,
      `session ${n}: completed_without_submit, 1 commits`,
    ]),
    "done after 3 sessions, on monoco/LOOP-0001",
    "added",
    "<promise>COMPLETE</promise>",
  ]);
});

describe("a run", () => {
  it("tells its sessions, the text, the branch and the commit", async () => {
    const repository = await makeRepository();
    const result = await createRelay(options(repository, { verify: ["true", "test -f work.txt"] })).run();
    const session = (n: number): Partial<RelaySession> => ({
      session: n,
      role: "executor",
      agent: "given",
      reason: "completed_without_submit",
      commits: 1,
      progress: true,
      text: n < 3 ? "added" : "added\n<promise>COMPLETE</promise>",
    });
    expect(result).toMatchObject({
      reason: "done",
      issue: "LOOP-0001",
      branch: "monoco/LOOP-0001",
      text: "added\n<promise>COMPLETE</promise>",
      sessions: [session(1), session(2), session(3)],
      commit: await repository.git("rev-parse", "monoco/LOOP-0001"),
    } satisfies { [K in keyof RelayResult]?: unknown });
    expect(await repository.git("rev-parse", "main")).not.toBe(result.commit);
  });

  test("ends when stopWhen says so, and goes on when it is run again", async () => {
    const repository = await makeRepository();
    const asked: number[] = [];
    const relay = createRelay(
      options(repository, {
        stopWhen: async (sessions) => {
          asked.push(sessions.length);
          return sessions.length === 2;
        },
      }),
    );
    expect(await relay.run()).toMatchObject({
      reason: "stopped",
      sessions: [{ session: 1 }, { session: 2 }],
    });
    expect(await relay.run()).toMatchObject({
      reason: "done",
      issue: "LOOP-0001",
      sessions: [{ session: 3 }],
    });
    expect(asked).toEqual([1, 2]);
  });

  test("the next session waits for onSessionEnd", async () => {
    const repository = await makeRepository();
    const told: string[] = [];
    await createRelay(
      options(repository, {
        onSessionStart: ({ session, because }) => void told.push(`${session} because ${because}`),
        onSessionEnd: async ({ session }) => {
          await new Promise((resolve) => setImmediate(resolve));
          told.push(`${session} ended`);
        },
      }),
    ).run();
    expect(told).toEqual([
      "1 because new relay",
      "1 ended",
      "2 because session 1 handed over",
      "2 ended",
      "3 because session 2 handed over",
      "3 ended",
    ]);
  });

  it("is blocked when its sessions are spent", async () => {
    const repository = await makeRepository(adds);
    expect(await createRelay(options(repository, { max: 2 })).run()).toMatchObject({
      reason: "blocked",
      because: "spent 2 sessions (sessionsMax 2)",
      sessions: [{ session: 1 }, { session: 2 }],
    });
  });

  test("is interrupted by its signal, keeps a handoff, and goes on later", async () => {
    const repository = await makeRepository(
      `if [ "$MONOCO_SESSION" = 1 ]; then echo half > half.txt; sleep 600; fi; ${adds}; ${promises}`,
    );
    const controller = new AbortController();
    const relay = createRelay(options(repository, { onSessionStart: () => controller.abort() }));
    expect(await relay.run({ signal: controller.signal })).toMatchObject({
      reason: "interrupted",
      sessions: [{ session: 1, reason: "user_interrupt" }],
    });
    expect(await relay.run()).toMatchObject({ reason: "done", sessions: [{ session: 2 }] });
  });

  test("rejects with the error of a function of the caller's, and nothing is lost", async () => {
    const repository = await makeRepository();
    const mine = new Error("mine");
    const first = (): never => {
      throw mine;
    };
    await expect(createRelay(options(repository, { onSessionStart: first })).run()).rejects.toBe(mine);
    await expect(createRelay(options(repository, { onSessionEnd: async () => first() })).run()).rejects.toBe(
      mine,
    );
    expect(await createRelay(options(repository)).run()).toMatchObject({
      reason: "done",
      issue: "LOOP-0001",
    });
  });
});

testRows<[string, Partial<RelayOptions>, RegExp]>([
  ["an empty prompt", { prompt: "" }, /prompt/],
  ["an agent that there is not", { agent: "nobody" }, /no agent is called "nobody"/],
  ["an agent without a program", { agent: { kind: "command" } }, /run/],
  ["a check that is none", { verify: [""] }, /verify/],
  ["no number of sessions", { max: 0 }, /max/],
  ["a folder outside of any repository", { folder: "/" }, /repository/],
])("%s is refused", async ([, more, message]) => {
  const repository = await makeRepository();
  const refused = createRelay(options(repository, more)).run();
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toBeInstanceOf(MonocoError);
});
