/** Each rule has one row: the sentence that states the reason, and the settings that would change the decision. */
type Settings<R> = readonly string[] | ((reason: R) => readonly string[]);

/** One row a rule. The shapes are apart, in a schema, because `relay status` tells reasons without loading zod. */
export type RowsOf<Reason extends { rule: string }> = {
  [Rule in Reason["rule"]]: {
    words(reason: Extract<Reason, { rule: Rule }>): string;
    /** Their keys, or how the values tell them. */
    settings?: Settings<Extract<Reason, { rule: Rule }>>;
  };
};

type Rows<M> = { [R in keyof M]: { words(reason: M[R]): string; settings?: Settings<M[R]> } };

/** Its rule is an argument of its own: only so the compiler knows that it belongs to the reason. */
export function wordsBy<M, R extends keyof M>(rows: Rows<M>, rule: R, reason: M[R]): string {
  return rows[rule].words(reason);
}

export function settingsBy<M, R extends keyof M>(rows: Rows<M>, rule: R, reason: M[R]): readonly string[] {
  const { settings = [] } = rows[rule];
  return typeof settings === "function" ? settings(reason) : settings;
}
