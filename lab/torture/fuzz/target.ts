/** A reader of text from outside, as the fuzzer sees it. */
export type Target = {
  /** Begins with the file that it reads for, so that a violation says where to look. */
  name: string;
  /** Texts as they come; inputs are made of them. */
  corpus: readonly string[];
  /** Reads one text as monoco does. It may throw a MonocoError, and nothing else. */
  read(text: string): void;
  /** What it is given at most: its callers cut or refuse more. */
  charsMax?: number;
  /** Characters that it reads in a millisecond, at least, where a library takes longer than `charsPerMs`. */
  charsPerMs?: number;
};
