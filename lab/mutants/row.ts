/** A row of the mutants' tables: a rule, an edit that breaks it, and the test file that has to notice. */
export type Mutant = {
  /** What the rule says, in a few words; each row has its own. */
  rule: string;
  file: string;
  /** Stands once in the file. */
  find: string;
  replace: string;
  test: string;
  /** Of the tests in that file, those with this in their names: where the file takes long. */
  title?: string;
  /** The test starts the built program: dist is made anew, of the broken sources. */
  built?: boolean;
};

/** Rows about one file that one test file covers: `[rule, find, replace]`. */
export const mutantsOf = (
  file: string,
  test: string,
  rows: readonly (readonly [rule: string, find: string, replace: string])[],
): Mutant[] => rows.map(([rule, find, replace]) => ({ rule, file, find, replace, test }));
