/**
 * monoco completion: prints a table, made from the commands' records, of the words that may follow each other, and one program
 * for all shells that looks words up without running monoco.
 */
import { MonocoError } from "../core/error/error.ts";
import { io } from "../io/io.ts";
import { flagOf } from "./verb.ts";
import type { Group, Verb } from "./verb.ts";
import { t, translated } from "../core/language/translate.ts";

const shells = { bash, zsh, fish };

export function completion(shell: string, verbs: readonly (Verb | Group)[]): number {
  if (!Object.hasOwn(shells, shell)) {
    throw new MonocoError("input", t`no completion for ${JSON.stringify(shell.slice(0, 40))}`, {
      hint: t`shells: ${Object.keys(shells).join(", ")}`,
    });
  }
  const rows: Row[] = [["", "--help", ""], ["", "--version", ""], ...verbs.flatMap(rowsOf)];
  io().stdout.write(`${shells[shell as keyof typeof shells](lookUp(rows))}\n`);
  return 0;
}

/** The words before, a word, and its description. `--flag=` takes a value, `--flag=a|b` one of these; `ID` stands for any issue's id, as in `--flag=ID`. */
type Row = readonly [before: string, word: string, about: string];

function rowsOf(one: Verb | Group): Row[] {
  if (!("verbs" in one)) return rowsOfVerb("", one);
  const short = one.verbs.filter((verb) => verb.short).flatMap((verb) => rowsOfVerb("", verb));
  const own = one.verbs.flatMap((verb) => rowsOfVerb(`${one.name} `, verb));
  return [["", one.name, translated(one.about)], [one.name, "--help", ""], ...own, ...short];
}

function rowsOfVerb(above: string, { name, about, args, options }: Verb): Row[] {
  const before = `${above}${name}`;
  return [
    [above.trim(), name, translated(about)],
    ...(args.some(([arg]) => /^[<[]ID\b/.test(arg)) ? [[before, "ID", ""] as const] : []),
    ...Object.entries(options).flatMap(([key, { takes, values = [], about: help }]) => {
      const value = takes === undefined ? "" : `=${takes === "<ID>" ? "ID" : values.join("|")}`;
      const flags = flagOf(options, key).match(/(?<=^|, )-[\w-]+/g) ?? [];
      return flags.map((flag): Row => [before, `${flag}${value}`, translated(help)]);
    }),
    [before, "--help", ""],
  ];
}

/** A shell command. Its arguments are the words up to the cursor; it prints the words that may come next, with their descriptions. */
function lookUp(rows: readonly Row[]): string {
  const ids = String.raw`top=$(git rev-parse --show-toplevel 2>/dev/null) && find "$top/issues" "$top/Issues" -name "*.md" 2>/dev/null | sed -nE "s|.*/([A-Z]+-[0-9]{4,})[^/]*\$|\1|p" | sort -u`;
  return `ids='${ids}' awk -F '\\t' '
BEGIN { for (i = 1; i < ARGC; i++) given[i] = ARGV[i]; last = ARGC - 2; now = ARGV[ARGC - 1]; ARGC = 1 }
{ rows[NR] = $0; known[$1] }
END {
  for (i = 1; i <= last; i++) if ((deeper = at (at == "" ? "" : " ") given[i]) in known) at = deeper
  for (i = 1; i <= NR; i++) {
    split(rows[i], row, "\\t")
    if (row[1] != at) continue
    takes = split(row[2], flag, "=") > 1
    if (takes && flag[1] == given[last]) {
      if (flag[2] == "ID") system(ENVIRON["ids"])
      else for (n = split(flag[2], value, "|"); v++ < n; ) print value[v]
      exit
    }
    if (row[2] == "ID" && now !~ /^-/) hasIds = 1
    if (row[2] != "ID" && (now ~ /^-/) == (row[2] ~ /^-/)) found = found flag[1] "\\t" row[3] "\\n"
  }
  printf "%s", found
  if (hasIds) system(ENVIRON["ids"])
}' "$@" <<'END'
${rows.map((row) => row.join("\t")).join("\n")}
END`;
}

function bash(command: string): string {
  return `# monoco completion for bash: source <(monoco completion bash)
_monoco_words() {
${command}
}
_monoco() {
  local found=$(_monoco_words "\${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1)
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _monoco monoco`;
}

function zsh(command: string): string {
  return `#compdef monoco
# monoco completion for zsh: source <(monoco completion zsh), after compinit
_monoco_words() {
${command}
}
_monoco() {
  local found=$(_monoco_words "\${(@)words[2,CURRENT]}" | cut -f1)
  if [[ -n $found ]]; then compadd -- \${(f)found}; else _files; fi
}
compdef _monoco monoco`;
}

function fish(command: string): string {
  return `# monoco completion for fish: monoco completion fish | source
function __monoco_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (sh -c '${command.replaceAll(/['\\]/g, String.raw`\$&`)}' monoco $words[2..] "$current")
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c monoco -f -a '(__monoco_words)'`;
}
