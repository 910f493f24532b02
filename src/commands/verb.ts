/** A command as one record: its command line, help and docs/commands.md are made from it; its code is loaded when it is called. */
import { MonocoError } from "../core/error/error.ts";
import type { ErrorKind } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";

/** `<ID>` is required, `[ID]` is not, `...` takes several. */
export type Argument = readonly [name: `<${string}>` | `[${string}]`, about?: string];

type Value<Name> = Name extends `<${string}...>` | `[${string}...]`
  ? string[]
  : Name extends `<${string}>`
    ? string
    : string | undefined;

/** An option. Its key in the record is its flag: `dryRun` is --dry-run. */
type Spec = {
  about: string;
  /** One letter. */
  short?: string;
  /** The option's value, as `<n>`. */
  takes?: `<${string}>`;
  /** Offered as the value by the completion of a shell. */
  values?: readonly string[];
  required?: boolean;
  /** The value without the option. */
  unset?: unknown;
  /** The flag is `--no-` and the key. */
  off?: boolean;
  /** Reads the value of `flag`; `before` is the value of an earlier one. */
  read?: (text: string, flag: string, before: unknown) => unknown;
};
/** An option that always has a value, and one that may have none. */
type Always<T> = Spec & { is: "always"; of?: T };
type Maybe<T> = Spec & { is: "maybe"; of?: T };
type Options = Readonly<Record<string, Spec & { is: "always" | "maybe"; of?: unknown }>>;

type Flags<O extends Options> = {
  [Key in keyof O as O[Key] extends Always<unknown> ? Key : never]: NonNullable<O[Key]["of"]>;
} & { [Key in keyof O as O[Key] extends Maybe<unknown> ? Key : never]?: NonNullable<O[Key]["of"]> };

export type Verb = {
  name: string;
  /** One line, in lower case, without a full stop. */
  about: string;
  args: readonly Argument[];
  options: Options;
  /** Whole command lines. */
  examples: readonly string[];
  /** The possible ends, besides done, wrong input and a bug. */
  ends: readonly ErrorKind[];
  /** The command works without its group's name, too. */
  short: boolean;
  run(...given: unknown[]): number | Promise<number>;
};

/** Commands below one word: `monoco relay …`. */
export type Group = { name: string; about: string; verbs: readonly Verb[] };

type Written<A extends readonly Argument[], O extends Options> = Pick<Verb, "name" | "about" | "examples"> &
  Partial<Pick<Verb, "ends" | "short">> & {
    args?: A;
    options?: O;
    /** Gets the arguments, then the options. */
    run: (
      ...given: [...{ [Index in keyof A]: Value<A[Index][0]> }, flags: Flags<O>]
    ) => number | Promise<number>;
  };

/** The record of a command; the arguments and options determine the parameter types of `run`. */
export function verb<const A extends readonly Argument[] = [], O extends Options = Options>(
  written: Written<A, O>,
): Verb {
  return { args: [], options: {}, ends: [], short: false, ...written };
}

/** `--dry-run`: on or off. */
export function flag(about: string): Always<boolean> {
  return { is: "always", about, unset: false };
}

/** On unless `--no-…` is given. */
export function flagOff(about: string): Always<boolean> {
  return { is: "always", about, unset: true, off: true };
}

/** Like `flag`, for a setting with a third meaning when the option is missing. */
export function flagIfGiven(about: string): Maybe<boolean> {
  return { is: "maybe", about };
}

export function text(takes: `<${string}>`, about: string): Maybe<string> {
  return { is: "maybe", about, takes };
}

export function textOr(takes: `<${string}>`, unset: string, about: string): Always<string> {
  return { is: "always", about, takes, unset };
}

/** An option that may be given several times. */
export function texts(takes: `<${string}>`, about: string): Always<string[]> {
  return { is: "always", about, takes, read: collect, unset: [] };
}

export function textsIfGiven(takes: `<${string}>`, about: string): Maybe<string[]> {
  return { is: "maybe", about, takes, read: collect };
}

export function count(takes: `<${string}>`, about: string): Maybe<number> {
  return { is: "maybe", about, takes, read: wholeNumber };
}

export function countOr(takes: `<${string}>`, unset: number, about: string): Always<number> {
  return { is: "always", about, takes, read: wholeNumber, unset };
}

export function requiredText(takes: `<${string}>`, about: string): Always<string> {
  return { is: "always", about, takes, required: true };
}

export function requiredNumber(takes: `<${string}>`, about: string): Always<number> {
  return { is: "always", about, takes, required: true, read: positiveNumber };
}

function collect(word: string, _flag: string, before: unknown): unknown[] {
  return [...(Array.isArray(before) ? before : []), word];
}

function positiveNumber(given: string, name: string): number {
  const value = Number(given);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new MonocoError("input", t`${name}: expected a number above 0, got ${JSON.stringify(given)}`, {
    hint: t`write it like ${name} 10 or ${name} 0.5`,
  });
}

function wholeNumber(given: string, name: string): number {
  const value = Number(given);
  if (value > 0 && Number.isSafeInteger(value)) return value;
  throw new MonocoError("input", t`${name}: expected a whole number above 0, got ${JSON.stringify(given)}`, {
    hint: t`write it like ${name} 3`,
  });
}

/** An option as help and documents write it: `-n, --last <n>`. */
export function flagOf(options: Options, key: string): string {
  const { short, takes, off } = options[key]!;
  const long = off ? longFlag(key).replace("--", "--no-") : longFlag(key);
  return [...(short ? [`-${short},`] : []), long, ...(takes ? [takes] : [])].join(" ");
}

/** The flag of an option's key. */
export function longFlag(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
