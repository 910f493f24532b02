/** monoco fleet migrate: makes the tables in the database, which workers only use. */
import { databaseOf } from "../../core/lease/database.ts";
import { t } from "../../core/language/translate.ts";
import { migrateTables } from "../../app/fleet/boss.ts";
import { io } from "../../io/io.ts";

export async function migrate(flags: { database?: string }): Promise<number> {
  const database = databaseOf(flags.database, io().env);
  await migrateTables(database);
  io().stdout.write(t`${database.name} is ready: monoco worker joins the fleet\n`);
  return 0;
}
