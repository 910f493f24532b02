/** The value of a parsed YAML document with plain keys only: the parser prints a key that is a list or a map, which took 4 s for 300 levels and never ended for 1,000. */
import { isCollection, visit } from "yaml";
import type { Document, ToJSOptions } from "yaml";
import { t } from "../language/translate.ts";

/** Throws for a key that is a list or a map, for exploding aliases, and for nesting that overflows the stack. */
export function plainValue(document: Document, options: ToJSOptions = {}): unknown {
  visit(document, {
    Pair: (_, { key }) => {
      if (isCollection(key)) throw new Error(t`expected a key, got a list or a map`);
    },
  });
  return document.toJS(options);
}
