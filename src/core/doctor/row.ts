/** Each rule of a diagnosis has one row: where it belongs, its sentence, its fix, and whether that loses nothing. */
import type { Advice } from "../error/hint-schema.ts";

/** Good findings of one area are told on one line. */
export type Area = "machine" | "folders" | "agents" | "repository" | "relays";

type Row<V> = {
  area: Area;
  words(values: V): string;
  fix?(values: V): Advice;
  /** `--fix` does it. */
  safe?: true;
};
export type Rows<M> = { [R in keyof M]: Row<M[R]> };
