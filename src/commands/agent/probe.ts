/** monoco agent probe: tests the installed agent CLIs with a scripted model; the results are kept, and relays use them. */
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { killAllNow } from "../../agents/child.ts";
import { agents } from "../../agents/registry.ts";
import { vendors as kinds } from "../../core/settings/agent-kinds.ts";
import { MonocoError } from "../../core/error/error.ts";
import { conclude, features } from "../../core/session/probe.ts";
import type { Conclusion, Feature, Findings } from "../../core/session/probe.ts";
import { probe as tryAll } from "../../probe/probe.ts";
import { vendors } from "../../probe/vendors.ts";
import { keepProbe } from "../../store/probes.ts";
import { printJson } from "../../views/json.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";
import { paint } from "../../views/paint.ts";
import { findProgram, versionOf } from "../../app/agents.ts";
import { monocoCommand } from "../../app/wire.ts";
import { makeTemporary } from "../../app/temporary.ts";
import { io } from "../../io/io.ts";
import type { LiveFlags } from "./probe-live.ts";
import { t, translatable, translated } from "../../core/language/translate.ts";

type Kind = (typeof kinds)[number];

/** The schema of `agent probe --json`, one agent. */
export type ProbeReport = {
  agent: Kind;
  program: string;
  version: string | null;
  conclusion: Conclusion;
  because: string;
  findings: Findings;
};

export type ProbeFlags = LiveFlags & { live: boolean };

/** Exit status 0; 1 if an agent is unusable; 4 if none is installed. */
export async function probe(name: string | undefined, flags: ProbeFlags): Promise<number> {
  if (flags.live) return askLive(name, flags);
  if (flags.model !== undefined)
    throw new MonocoError("input", t`--model belongs to --live: without it a scripted model answers`, {
      hint: `monoco agent probe ${name ?? "AGENT"} --model ${flags.model} --live`,
    });
  const wanted = name === undefined ? kinds : [kindOf(name)];
  const programs = wanted.flatMap((kind) => programOf(kind) ?? []);
  if (programs.length === 0) throw notInstalled(wanted);
  const reports: ProbeReport[] = [];
  for (const one of programs) {
    const report = await probeOne(one, flags.json);
    reports.push(report);
    if (!flags.json) io().stdout.write(inWords(report));
  }
  if (flags.json) printJson(reports);
  return reports.some(({ conclusion }) => conclusion === "unusable") ? 1 : 0;
}

async function askLive(name: string | undefined, flags: ProbeFlags): Promise<number> {
  if (name === undefined)
    throw new MonocoError("input", t`which agent? Its model is asked, and that costs`, {
      hint: "monoco agent probe claude --live",
    });
  const { probeLive } = await import("./probe-live.ts");
  return probeLive(name, flags);
}

function kindOf(name: string): Kind {
  const kind = kinds.find((one) => one === name);
  if (kind) return kind;
  throw new MonocoError("input", t`"${name}" cannot be probed: monoco has no adapter of that name to a CLI`, {
    hint: t`these can: ${kinds.join(", ")}`,
  });
}

type Installed = { kind: Kind; path: string };

function programOf(kind: Kind): Installed | undefined {
  const program = agents[kind].program({ kind });
  const path = program && findProgram(program.name, io().cwd);
  return path === undefined ? undefined : { kind, path };
}

function notInstalled(wanted: readonly Kind[]): MonocoError {
  const ways = wanted.map((kind) => agents[kind].program({ kind })?.install ?? kind);
  return new MonocoError("agent", t`${wanted.join(", ")}: not installed here`, {
    hint: t`${ways.join(" or ")}; monoco agent list shows what is found`,
  });
}

async function probeOne({ kind, path }: Installed, quiet: boolean): Promise<ProbeReport> {
  const temporary = makeTemporary("probe");
  const { folder } = temporary;
  const leave = (): never => {
    killAllNow();
    temporary.remove();
    process.exit(130);
  };
  const unheard = io().onStop(leave);
  try {
    execFileSync("git", ["init", "-q", "-b", "main", join(folder, "workspace")], { stdio: "ignore" });
    const bench = {
      agent: agents[kind],
      vendor: vendors[kind],
      folder,
      binFolder: dirname(path),
      path: io().env["PATH"] ?? "",
      monoco: monocoCommand(),
    };
    const findings = await tryAll(bench, (title) => tell(quiet, `${kind}: ${title} …`));
    const { said: version } = await versionOf(path, { kind });
    keepProbe(io().env, { v: 1, kind, version, program: path, atMs: Date.now(), findings });
    return { agent: kind, program: path, version, ...conclude(findings), findings };
  } finally {
    unheard();
    temporary.remove();
    tell(quiet, "");
  }
}

/** Rewrites one line, on a terminal only. */
function tell(quiet: boolean, text: string): void {
  if (!quiet && io().stderr.isTTY) io().stderr.write(`\r\x1b[K${text}`);
}

const titles = translatable({
  headless: "headless",
  structuredOutput: "structured output",
  ownSessionId: "own session id",
  liveUsage: "live usage",
  window: "window",
  resume: "resume",
  stopHook: "stop hook blocks",
  contextInjection: "context injection",
  messageOnInput: "message on input",
  structuredVerdict: "structured verdict",
  usageLimitEvent: "usage-limit event",
  diesOnTerm: "dies on TERM",
  diesOnKill: "dies on KILL",
} satisfies Record<Feature, string>);

const looks = {
  yes: { tone: "good", word: translatable("yes") },
  no: { tone: "bad", word: translatable("no") },
  unknown: { tone: "dim", word: translatable("unknown") },
} as const;

function inWords({ agent, version, program, findings, conclusion, because }: ProbeReport): string {
  const rows = features.map((feature): Cell[] => {
    const { found, evidence } = findings[feature];
    const { tone, word } = looks[found];
    return [`  ${translated(titles[feature])}`, { text: translated(word), tone }, paint("dim", evidence)];
  });
  const head = `${paint("bold", agent)} ${version ?? t`of an unknown version`} (${program})`;
  return `${head}\n${tableLines(rows).join("\n")}\n  → ${t`${paint("bold", translated(conclusion))}: ${because}`}\n\n`;
}
