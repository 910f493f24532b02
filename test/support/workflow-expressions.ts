/** The expressions of GitHub's workflows, as far as ours use them: properties, comparisons, `&&`, `||`, `!` and some functions. */

export type Contexts = Readonly<Record<string, unknown>>;
type Functions = Readonly<Record<string, (...args: unknown[]) => unknown>>;

const functions: Functions = {
  startsWith: (text, begin) => textOf(text).toLowerCase().startsWith(textOf(begin).toLowerCase()),
  fromJSON: (text) => JSON.parse(textOf(text)) as unknown,
};

/** The value of an expression. `more` are functions that depend on the job, such as `cancelled()`. */
export function evaluate(source: string, contexts: Contexts, more: Functions = {}): unknown {
  const tokens = source.match(/'(?:[^']|'')*'|\d+|[\w-]+|&&|\|\||==|!=|[!().,[\]]/g) ?? [];
  let at = 0;
  const take = (token: string): boolean => tokens[at] === token && (at += 1) > 0;
  const need = (token: string): void => {
    if (!take(token)) throw new Error(`expected ${token} at ${tokens.slice(at).join(" ")} in ${source}`);
  };
  // The right side of an operator that the left side has decided is read, and not evaluated.
  let quiet = 0;
  const quietly = (read: () => unknown): void => {
    quiet += 1;
    read();
    quiet -= 1;
  };
  const either = (): unknown => {
    let left = both();
    while (take("||")) left = isTruthy(left) ? (quietly(both), left) : both();
    return left;
  };
  const both = (): unknown => {
    let left = compared();
    while (take("&&")) left = isTruthy(left) ? compared() : (quietly(compared), left);
    return left;
  };
  const compared = (): unknown => {
    const left = negated();
    if (take("==")) return left === negated();
    if (take("!=")) return left !== negated();
    return left;
  };
  const negated = (): unknown => (take("!") ? !isTruthy(negated()) : path());
  const path = (): unknown => {
    let value = primary();
    for (;;) {
      if (take(".")) value = propertyOf(value, tokens[at++]!);
      else if (take("[")) {
        value = propertyOf(value, String(either()));
        need("]");
      } else return value;
    }
  };
  const primary = (): unknown => {
    if (take("(")) {
      const value = either();
      need(")");
      return value;
    }
    const token = tokens[at++] ?? "";
    if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
    if (/^\d+$/.test(token)) return Number(token);
    if (token === "true" || token === "false") return token === "true";
    if (!take("(")) {
      if (!(token in contexts)) throw new Error(`unknown context ${token} in ${source}`);
      return contexts[token];
    }
    const args: unknown[] = [];
    while (!take(")")) {
      args.push(either());
      take(",");
    }
    if (quiet > 0) return undefined;
    const known = { ...functions, ...more }[token];
    if (!known) throw new Error(`unknown function ${token} in ${source}`);
    return known(...args);
  };
  const value = either();
  if (at < tokens.length) throw new Error(`not understood: ${tokens.slice(at).join(" ")} in ${source}`);
  return value;
}

/** A text with the values of its `${{ … }}`; a text that is one expression keeps its type. */
export function filled(text: string, contexts: Contexts, more: Functions = {}): unknown {
  const whole = /^\s*\$\{\{([^}]*)\}\}\s*$/.exec(text);
  if (whole) return evaluate(whole[1]!, contexts, more);
  return text.replaceAll(/\$\{\{([^}]*)\}\}/g, (_, inner: string) => {
    return textOf(evaluate(inner, contexts, more));
  });
}

/** A value as a text has it. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

export const isTruthy = (value: unknown): boolean => value !== 0 && value !== "" && Boolean(value);

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
