/** A PostgreSQL of a test file's own: on a Unix socket in a temp folder, as a user that is not root, and gone with its tests. */
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll } from "vitest";

/** Debian keeps the programs of the server off the PATH. */
const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);

export const hasPostgres = programs !== undefined;

/** PostgreSQL refuses to run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export type Postgres = {
  /** The address of a new and empty database, with a password in it that the server does not ask for. */
  database(): Promise<string>;
  /** At once, or as the signal has it: SIGINT rolls back and writes what there is, SIGKILL is a crash. */
  stop(signal?: "SIGQUIT" | "SIGINT" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  /** Where it listens. */
  socket(): string;
  /** What a statement of SQL prints, a row a line. */
  sql(url: string, statement: string): Promise<string>;
};

/** The server of this test file, from its first test to its last. */
export function openPostgres(): Postgres {
  const server = newServer();
  beforeAll(() => (hasPostgres ? server.begin() : undefined));
  afterAll(() => server.dispose());
  return server;
}

export type Server = Postgres & { begin(): Promise<void>; dispose(): Promise<void> };

/** A server that has not begun. */
export function newServer(): Server {
  let folder = "";
  let server: ReturnType<typeof serve> | undefined;
  let databases = 0;
  const program = (name: string): string => join(programs ?? "", name);
  const serve = () => {
    const set = ["listen_addresses=", "fsync=off", "max_connections=200"].flatMap((one) => ["-c", one]);
    return execa(program("postgres"), ["-D", join(folder, "data"), "-k", folder, ...set], {
      ...nobody,
      reject: false,
      stdin: "ignore",
    });
  };
  const addressOf = (name: string): string =>
    `postgres://tester:s3cr3t-password@/${name}?host=${encodeURIComponent(folder)}`;
  const sql = async (url: string, statement: string): Promise<string> =>
    (await execa(program("psql"), ["-XAtqc", statement, url], { stdin: "ignore" })).stdout;
  const start = async (): Promise<void> => {
    let why: string | undefined;
    server = serve();
    void server.then(({ stderr }) => (why = stderr));
    for (;;) {
      const asked = await execa(program("pg_isready"), ["-q", "-h", folder], { reject: false });
      if (asked.exitCode === 0) return;
      if (why !== undefined) throw new Error(why);
    }
  };
  const stop: Postgres["stop"] = async (signal = "SIGQUIT") => {
    server?.kill(signal);
    await server;
  };
  const begin = async (): Promise<void> => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "monoco-pg-")));
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    chmodSync(folder, 0o755);
    for (const path of [folder, join(folder, "data")])
      if (nobody.uid !== undefined) chownSync(path, nobody.uid, nobody.gid);
    const data = ["-D", join(folder, "data"), "-U", "tester"];
    const options = [...data, "-A", "trust", "-N", "--locale=C", "-E", "UTF8"];
    await execa(program("initdb"), options, { ...nobody, cwd: folder });
    await start();
  };
  const dispose = async (): Promise<void> => {
    await stop();
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
  };
  return {
    begin,
    dispose,
    start,
    stop,
    sql,
    socket: () => join(folder, ".s.PGSQL.5432"),
    database: async () => {
      const name = `fleet${++databases}`;
      await sql(addressOf("postgres"), `CREATE DATABASE ${name}`);
      return addressOf(name);
    },
  };
}
