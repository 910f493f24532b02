/** Takes up the letters of people that lie beside a relay on the remote. */
import type { Move } from "../../git/carry/remote.ts";
import type { Carrier } from "../carry/own.ts";
export async function takeLetters(_c: Carrier, _i: string, _l: ReadonlyMap<string, string>): Promise<Move[]> {
  return [];
}
