/** Adopts a relay that another machine has pushed. */
import type { Outcome } from "../../core/carry/outcome.ts";
import type { Carrier } from "./own.ts";
export async function adoptRelay(_c: Carrier, _i: string): Promise<Outcome> {
  return { is: "absent" };
}
