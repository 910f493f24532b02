/** monoco completion: a script for a shell, made from the commands' records; it runs no monoco, ids are the names of files below issues/. */
import { MonocoError } from "../core/error/error.ts";
import { io } from "../io/io.ts";
import { flagOf } from "./verb.ts";
import type { Group, Verb } from "./verb.ts";
import { t, translated } from "../core/language/translate.ts";

/** What may follow the words of a command. */
type Row = {
  words: readonly string[];
  subs: readonly { name: string; about: string }[];
  verb?: Verb;
};

const shells = { bash, zsh, fish };

export function completion(shell: string, verbs: readonly (Verb | Group)[]): number {
  if (!Object.hasOwn(shells, shell)) {
    throw new MonocoError("input", t`no completion for ${JSON.stringify(shell.slice(0, 40))}`, {
      hint: t`shells: ${Object.keys(shells).join(", ")}`,
    });
  }
  io().stdout.write(`${shells[shell as keyof typeof shells](rowsOf(verbs))}\n`);
  return 0;
}

function rowsOf(verbs: readonly (Verb | Group)[]): Row[] {
  const rows = verbs.flatMap((one): Row[] => {
    if (!("verbs" in one)) return [{ words: [one.name], subs: [], verb: one }];
    const short = one.verbs.filter((verb) => verb.short);
    return [
      { words: [one.name], subs: one.verbs },
      ...one.verbs.map((verb) => ({ words: [one.name, verb.name], subs: [], verb })),
      ...short.map((verb) => ({ words: [verb.name], subs: [], verb })),
    ];
  });
  const shorts = verbs.flatMap((one) => ("verbs" in one ? one.verbs.filter(({ short }) => short) : []));
  return [{ words: [], subs: [...verbs, ...shorts] }, ...rows];
}

const takesIds = (verb: Verb | undefined): boolean =>
  verb?.args.some(([name]) => /^[<[]ID\b/.test(name)) ?? false;

function optionsOf(verb: Verb | undefined): { flags: string[]; takes?: string; about: string }[] {
  return Object.entries(verb?.options ?? {}).map(([key, { takes, about }]) => {
    const flags = flagOf(verb!.options, key)
      .split(/,? /)
      .filter((word) => word.startsWith("-"));
    return { flags, about, ...(takes && { takes }) };
  });
}

/** A command that finds the ids, without starting monoco. */
const idsCommand = String.raw`top=$(git rev-parse --show-toplevel 2>/dev/null) && find "$top/issues" "$top/Issues" -name "*.md" 2>/dev/null | sed -nE "s|.*/([A-Z]+-[0-9]{4,})[^/]*\$|\1|p" | sort -u`;

/** For bash and zsh: sets what may follow the words in $1. */
function table(rows: readonly Row[]): string {
  const cases = rows.map(({ words, subs, verb }) => {
    const options = optionsOf(verb);
    const flagsWith = (fits: (takes: string | undefined) => boolean): string =>
      options
        .filter(({ takes }) => fits(takes))
        .flatMap(({ flags }) => flags)
        .join(" ");
    const set = {
      subs: subs.map(({ name }) => name).join(" "),
      flags: flagsWith(() => true),
      valued: flagsWith((takes) => takes !== undefined && takes !== "<ID>"),
      idValued: flagsWith((takes) => takes === "<ID>"),
      ids: takesIds(verb) ? "yes" : "",
    };
    const sets = Object.entries(set).map(([name, value]) => `${name}='${value}'`);
    return `    '${words.join(" ")}') ${sets.join(" ")} ;;`;
  });
  return `_monoco_table() {
  case "$1" in
${cases.join("\n")}
    *) return 1 ;;
  esac
}
_monoco_ids() {
  local top
  ${idsCommand}
}
# The words given are those before the cursor; sets the words that may stand there.
_monoco_candidates() {
  local at='' last='' word subs flags valued idValued ids
  _monoco_table ''
  for word in "$@"; do
    last=$word
    if [[ -n $subs ]] && _monoco_table "\${at:+$at }$word"; then at="\${at:+$at }$word"; fi
  done
  case " $idValued " in *" \${last:-none} "*) candidates=$(_monoco_ids); return ;; esac
  case " $valued " in *" \${last:-none} "*) candidates=; return ;; esac
  case "$current" in -*) candidates="$flags --help" ;; *) candidates=$subs ;; esac
  case "$ids$current" in yes|yes[!-]*) candidates=$(_monoco_ids) ;; esac
}`;
}

function bash(rows: readonly Row[]): string {
  return `# monoco completion for bash: source <(monoco completion bash)
${table(rows)}
_monoco() {
  local current=\${COMP_WORDS[COMP_CWORD]} candidates=''
  _monoco_candidates "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _monoco monoco`;
}

function zsh(rows: readonly Row[]): string {
  return `#compdef monoco
# monoco completion for zsh: source <(monoco completion zsh), after compinit
${table(rows)}
_monoco() {
  local current=\${words[CURRENT]} candidates=''
  _monoco_candidates "\${(@)words[2,CURRENT-1]}"
  if [[ -n $candidates ]]; then compadd -- \${=candidates}; else _files; fi
}
compdef _monoco monoco`;
}

function fish(rows: readonly Row[]): string {
  const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
  const lines = rows.flatMap(({ words, subs, verb }) => {
    const on = `-n ${quoted(["__monoco_after", ...words].join(" "))}`;
    const exactly = `-n ${quoted(["__monoco_is", ...words].join(" "))}`;
    const ids = takesIds(verb) ? [`complete -c monoco ${on} -f -a '(__monoco_ids)'`] : [];
    return [
      ...subs.map(
        ({ name, about }) => `complete -c monoco ${exactly} -f -a ${name} -d ${quoted(translated(about))}`,
      ),
      ...ids,
      ...optionsOf(verb).map(({ flags, takes, about }) => {
        const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag[1]}`));
        const value = takes === undefined ? "" : takes === "<ID>" ? " -x -a '(__monoco_ids)'" : " -r";
        return `complete -c monoco ${on} ${names.join(" ")}${value} -d ${quoted(translated(about))}`;
      }),
    ];
  });
  return `# monoco completion for fish: monoco completion fish | source
function __monoco_is
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end
function __monoco_after
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv); and test "$words[1..(count $argv)]" = "$argv"
end
function __monoco_ids
    sh -c ${quoted(idsCommand)}
end
${lines.join("\n")}`;
}
