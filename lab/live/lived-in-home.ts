/** A home as people have it: dotfiles by links, a guard hook and an MCP server as scripts, keys, a company's certificate, toolchains of version managers. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { rootCertificates } from "node:tls";
import type { vendors as kinds } from "../../src/core/settings/agent-kinds.ts";
import { fixture } from "../../test/support/cli.ts";

type Kind = (typeof kinds)[number];

/** In every file that holds a key. */
export const secret = "a-key-of-the-person";
/** In the instructions that each CLI reads. */
export const instruction = "Answer in short sentences.";
/** What the guard hook answers to a command with `forbidden` in it. */
export const guardWords = "the guard says no";

/** The programs of version managers, each with what it prints. */
export const tools = {
  rustc: ".rustup/toolchains/stable/bin",
  python9: ".pyenv/versions/9.0/bin",
  just: ".local/share/mise/installs/just/1/bin",
};

/** A program of the home, and its arguments. */
type Server = { command: string; args: string[] };

/** Where each CLI has a person's own MCP servers. */
export const addServer: Record<Kind, (home: string, name: string, server: Server) => void> = {
  claude: (home, name, server) => merge(join(home, ".claude.json"), { mcpServers: { [name]: server } }),
  codex: (home, name, { command, args }) =>
    appendFileSync(
      join(home, ".codex/config.toml"),
      `\n[mcp_servers.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`,
    ),
  gemini: (home, name, server) =>
    merge(join(home, ".gemini/settings.json"), { mcpServers: { [name]: server } }),
  opencode: (home, name, { command, args }) =>
    merge(join(home, ".config/opencode/opencode.json"), {
      mcp: { [name]: { type: "local", command: [command, ...args] } },
    }),
};

/** Where each CLI has a person's own hook before a tool; OpenCode has plugins. */
const addGuard: Record<Kind, (home: string, command: string) => void> = {
  claude: (home, command) =>
    merge(join(home, ".claude/settings.json"), {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
    }),
  codex: (home, command) => {
    const path = join(home, ".codex/hooks.json");
    const hook = { type: "command", command };
    writeInto(path, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
    // A person's consent, without which Codex skips the hook: see src/agents/codex/hooks.ts.
    const consent = {
      event_name: "pre_tool_use",
      hooks: [{ async: false, command, timeout: 600, type: "command" }],
    };
    const trusted = hash("sha256", JSON.stringify(consent));
    appendFileSync(
      join(home, ".codex/config.toml"),
      `\n[hooks.state."${path}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:${trusted}"\n`,
    );
  },
  gemini: (home, command) =>
    merge(join(home, ".gemini/settings.json"), {
      hooks: { BeforeTool: [{ matcher: "run_shell_command", hooks: [{ type: "command", command }] }] },
    }),
  opencode: (home) =>
    writeInto(
      join(home, ".config/opencode/plugin/guard.js"),
      `export const Guard = async () => ({
  "tool.execute.before": async (_, { args }) => {
    if (JSON.stringify(args).includes("forbidden")) throw new Error("${guardWords}");
  },
});
`,
    ),
};

/** Files of a CLI's settings folder that people keep in a repository of dotfiles. */
const dotfiles: Record<Kind, string[]> = {
  claude: [".claude/settings.json", ".claude/CLAUDE.md", ".claude/skills"],
  codex: [".codex/config.toml", ".codex/AGENTS.md"],
  gemini: [".gemini/settings.json", ".gemini/GEMINI.md"],
  opencode: [".config/opencode/opencode.json", ".config/opencode/AGENTS.md"],
};
const instructions = /(?:CLAUDE|AGENTS|GEMINI)\.md$/;

/** What lies in the home by name, and what a session in a sandbox may do with each: read it, or nothing. */
export function sights(kind: Kind): Record<string, "read" | "hidden"> {
  const guard = kind === "opencode" ? ".config/opencode/plugin/guard.js" : "dotfiles/hooks/guard";
  const skills = dotfiles[kind].filter((path) => path.endsWith("skills"));
  const read = [
    "certs/company.pem",
    "mcp/notes.mjs",
    guard,
    ...skills.map((path) => `${path}/notes/SKILL.md`),
    ...dotfiles[kind].filter((path) => !skills.includes(path)).flatMap((path) => [path, `dotfiles/${path}`]),
  ];
  const hidden = [
    ...Object.keys(files).filter((path) => files[path]!.includes(secret)),
    ...".bashrc .gitconfig dotfiles/.npmrc dotfiles/.gitconfig dotfiles/message .aws/config".split(" "),
  ];
  return Object.fromEntries([
    ...read.map((path) => [path, "read"] as const),
    ...hidden.map((path) => [path, "hidden"] as const),
  ]);
}

/** A command that prints a line for each of these: its path, and whether it can be read, or written, too. */
export const lookAt = (paths: readonly string[]): string =>
  `for p in ${paths.join(" ")}; do if ! test -s ~/$p; then r=hidden; elif { echo >> ~/$p; } 2> /dev/null; then r=written; else r=read; fi; echo "$p: $r"; done`;

/** The folders on the person's PATH. */
export const onPath = [
  ".nvm/versions/node/v24.0.0/bin",
  ".cargo/bin",
  ".pyenv/shims",
  ".local/share/mise/shims",
];

/** Makes a home that a CLI has been set up in look lived in. Returns the variables of a person's shell. */
export function furnish(home: string, kind: Kind, node: string): Record<string, string> {
  for (const [path, text] of Object.entries(files)) writeInto(join(home, path), text);
  for (const [name, folder] of Object.entries(tools))
    program(join(home, folder, name), `echo "${name} of the person"`);
  // A shim finds the version by itself.
  program(join(home, ".pyenv/shims/python9"), 'exec "${0%/shims/*}/versions/9.0/bin/python9" "$@"');
  linkAt(join(home, ".cargo/bin/rustc"), join(home, tools.rustc, "rustc"));
  linkAt(join(home, ".local/share/mise/shims/just"), join(home, tools.just, "just"));
  linkAt(join(home, ".nvm/versions/node/v24.0.0/bin/node"), node);
  program(join(home, "dotfiles/hooks/guard"), `! grep -q forbidden || { echo "${guardWords}" >&2; exit 2; }`);
  addGuard[kind](home, "~/dotfiles/hooks/guard");
  writeInto(join(home, "mcp/notes.mjs"), readFileSync(fixture("mcp.mjs"), "utf8"));
  addServer[kind](home, "notes", { command: "node", args: [join(home, "mcp/notes.mjs")] });
  for (const path of dotfiles[kind]) {
    if (instructions.test(path)) writeInto(join(home, path), `${instruction}\n`);
    if (path.endsWith("skills")) writeInto(join(home, path, "notes/SKILL.md"), skill);
  }
  for (const path of [".gitconfig", ".npmrc", ".bashrc", ...dotfiles[kind]]) intoDotfiles(home, path);
  return {
    NODE_EXTRA_CA_CERTS: join(home, "certs/company.pem"),
    NVM_DIR: join(home, ".nvm"),
    AWS_PROFILE: "work",
  };
}

const skill = "---\nname: notes\ndescription: reads the person's notes\n---\n\nRead them.\n";
const files: Record<string, string> = {
  ".bashrc": 'export NVM_DIR="$HOME/.nvm"\n. "$NVM_DIR/nvm.sh"\n[ -f ~/.secrets ] && . ~/.secrets\n',
  ".secrets": `export DEPLOY_KEY=${secret}\n`,
  ".gitconfig": `[user]\n\tname = A Person\n\temail = person@example.invalid\n[credential]\n\thelper = "!~/dotfiles/bin/credential"\n[commit]\n\ttemplate = ~/dotfiles/message\n[includeIf "gitdir:~/work/"]\n\tpath = ~/.gitconfig-work\n`,
  ".npmrc": `fund=false\n//registry.example.invalid/:_authToken=${secret}\n`,
  ".netrc": `machine example.invalid password ${secret}\n`,
  ".ssh/id_ed25519": `${secret}\n`,
  ".aws/config": "[profile work]\nregion = eu-central-1\n",
  ".aws/credentials": `[work]\naws_secret_access_key = ${secret}\n`,
  ".config/gh/hosts.yml": `github.com:\n  oauth_token: ${secret}\n`,
  "certs/company.pem": `${rootCertificates[0]}\n`,
  "dotfiles/message": "\n# Why?\n",
  ".nvm/nvm.sh": "nvm() { :; }\n",
  ".nvm/alias/default": "24\n",
  ".rustup/settings.toml": 'default_toolchain = "stable"\n',
  ".pyenv/version": "9.0\n",
  ".config/mise/config.toml": '[tools]\njust = "1"\n',
};

/** Moves a file or folder into the dotfiles, and links to it from its place. */
function intoDotfiles(home: string, path: string): void {
  const kept = join(home, "dotfiles", path);
  mkdirSync(dirname(kept), { recursive: true });
  renameSync(join(home, path), kept);
  linkAt(join(home, path), kept);
}

function linkAt(at: string, to: string): void {
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(relative(dirname(at), to), at);
}

function program(path: string, script: string): void {
  writeInto(path, `#!/bin/sh\n${script}\n`, 0o755);
}

function writeInto(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

/** As text: a person's settings may have comments. */
function merge(path: string, more: object): void {
  const [, rest = "}"] = existsSync(path) ? /^\s*\{([\s\S]*)$/.exec(readFileSync(path, "utf8"))! : [];
  writeInto(path, `${JSON.stringify(more).slice(0, -1)}${/^\s*\}/.test(rest) ? "" : ","}${rest}`);
}
