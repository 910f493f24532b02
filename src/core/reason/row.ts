/** Each rule has one row: the sentence that states the reason, and the settings that would change the decision. */
type Settings<R> = readonly string[] | ((reason: R) => readonly string[]);

/** One row per rule. The schemas are in other files because `relay status` renders reasons without loading zod. */
export type RowsOf<Reason extends { rule: string }> = {
  [Rule in Reason["rule"]]: {
    words(reason: Extract<Reason, { rule: Rule }>): string;
    /** The keys of settings, or a function of the values. */
    settings?: Settings<Extract<Reason, { rule: Rule }>>;
  };
};

type Rows<M> = { [R in keyof M]: { words(reason: M[R]): string; settings?: Settings<M[R]> } };

/** `rule` is a separate argument so that the compiler can tie it to the reason. */
export function wordsBy<M, R extends keyof M>(rows: Rows<M>, rule: R, reason: M[R]): string {
  return rows[rule].words(reason);
}

export function settingsBy<M, R extends keyof M>(rows: Rows<M>, rule: R, reason: M[R]): readonly string[] {
  const { settings = [] } = rows[rule];
  return typeof settings === "function" ? settings(reason) : settings;
}
