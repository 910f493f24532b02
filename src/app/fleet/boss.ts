/** Connects to a fleet's database by pg-boss, an optional package that nothing else of monoco loads. */
import type { PgBoss } from "pg-boss";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MonocoError } from "../../core/error/error.ts";
import { withoutSecrets } from "../../core/lease/database.ts";
import type { Database } from "../../core/lease/database.ts";
import { t } from "../../core/language/translate.ts";

/** The version that was tried: the tables of another one may differ. */
const version = "12.38.0";

/** How long to wait for an answer of the database, ms: a connection may be cut without a word. */
const answerMs = 10_000;

type Opening = {
  /** Of a member, which others see, and which ends the jobs of silent workers. */
  instanceName?: string;
  /** Cuts the connection, so that an answer which does not come delays no end. */
  signal?: AbortSignal;
};

/** Connects to a database whose tables are there. */
export async function openBoss(database: Database, { instanceName, signal }: Opening = {}): Promise<PgBoss> {
  const isMember = instanceName !== undefined;
  const boss = await bossOf(database, {
    supervise: isMember,
    registerInstance: isMember,
    ...(isMember && { instanceName }),
    ...(signal && { stream: () => socketUntil(signal) }),
    migrate: false,
  });
  return started(boss, database);
}

/** A socket that is connected after its end would be open again. */
function socketUntil(signal: AbortSignal): Socket {
  signal.throwIfAborted();
  return new Socket({ signal });
}

/** Makes the tables, or brings those of an older version up to this one. */
export async function migrateTables(database: Database): Promise<void> {
  const options = { supervise: false, registerInstance: false, migrate: true };
  const boss = await started(await bossOf(database, options), database);
  try {
    // Indexes of large tables are built after the start.
    while ((await boss.getBamStatus()).some(({ status }) => ["pending", "in_progress"].includes(status)))
      await sleep(200);
  } finally {
    await boss.stop();
  }
  // Tables of a newer version are left as they are.
  await (await openBoss(database)).stop();
}

type Options = {
  supervise: boolean;
  registerInstance: boolean;
  instanceName?: string;
  migrate: boolean;
  stream?: () => Socket;
};

async function bossOf({ url }: Database, options: Options): Promise<PgBoss> {
  const { PgBoss: Boss } = await loaded();
  // The driver takes these, though pg-boss does not list them.
  const ofDriver = { query_timeout: options.migrate ? 0 : answerMs, keepAlive: true };
  const boss = new Boss({
    connectionString: url,
    schema: "monoco",
    schedule: false,
    max: 4,
    connectionTimeoutMillis: answerMs,
    instanceHeartbeatSeconds: 15,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    maintenanceIntervalSeconds: 300,
    bamIntervalSeconds: 10,
    ...ofDriver,
    ...options,
  });
  // Whoever asks the database gets its errors; what pg-boss does by itself it tries again.
  boss.on("error", () => undefined);
  return boss;
}

async function loaded(): Promise<typeof import("pg-boss")> {
  const found = await import("pg-boss").catch((error: unknown) => {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
  });
  // Older versions have a default export only.
  if (found?.PgBoss) return found;
  throw new MonocoError("input", t`a fleet needs pg-boss ${version}, which is not installed`, {
    hint: t`npm install --save-exact pg-boss@${version} where monoco is installed (with -g if monoco was installed so)`,
  });
}

async function started(boss: PgBoss, database: Database): Promise<PgBoss> {
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop().catch(() => undefined);
    throw failureOf(error, database);
  }
}

/** The error of a database that cannot be used: `input` if it has to be set up or the address is wrong, else `later`. */
export function failureOf(error: unknown, database: Database): MonocoError {
  const { name } = database;
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : String(error);
  if (said === "pg-boss is not installed")
    return new MonocoError("input", t`${name} is not set up for a fleet`, {
      hint: t`monoco fleet migrate makes the tables, with the same address`,
    });
  if (said === "pg-boss database requires migrations")
    return new MonocoError("input", t`the tables in ${name} are not those of pg-boss ${version}`, {
      hint: t`monoco fleet migrate --database … brings older ones up to date; for newer ones, update monoco`,
    });
  // Classes of SQLSTATE: a login that is refused, no such database, a missing right.
  const isWrong = /^(?:28|3D|42)/.test(code) || ["ENOTFOUND", "ERR_INVALID_URL"].includes(code);
  const why = withoutSecrets(said === "" ? code : said, database);
  return new MonocoError(isWrong ? "input" : "later", t`${name} cannot be used: ${why}`, {
    hint: isWrong
      ? t`fix the address, or what it names; psql with the same address shows the same`
      : t`is PostgreSQL running there? Then run the same command again: nothing is lost`,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
