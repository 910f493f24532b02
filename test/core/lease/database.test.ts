/** The name of a fleet's database, which messages repeat: no part of the address that may be a secret. */
import { expect, test } from "vitest";
import { databaseOf } from "../../../src/core/lease/database.ts";

test.for([
  ["postgres://me:s3cret@db.example.org:5432/fleet?sslmode=require", "postgres://db.example.org:5432/fleet"],
  ["postgres://me:s3/c#r@et@one:5432,two:5433/fleet", "postgres://one:5432,two:5433/fleet"],
  ["postgresql://[::1]:5432/fleet", "postgresql://[::1]:5432/fleet"],
  // Somebody forgot the host.
  ["postgres://me:s3cret/fleet", "postgres://me:…/fleet"],
  ["postgres://me:1s3cret", "postgres://me:…"],
])("%s is called %s", ([url, name]) => {
  expect(databaseOf(url, {})).toEqual({ url, name });
});
