#!/usr/bin/env node
/** The program `monoco`: runs the command line in a process of its own. */

/** Checks the version in `engines` of package.json: older ones lack exports that monoco imports by name. */
function isNewEnough(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 19);
}

/** The same command under a Node from npm, quoted for a shell. */
function byNewNode([, cli = "", ...args]: readonly string[]): string {
  const quoted = (word: string): string =>
    /^[\w./@:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return ["npx", "-y", "-p", "node@24", "node", cli, ...args].map(quoted).join(" ");
}

/**
 * Keeps lost output from being a crash: a reader that goes away (`| head -1`) ends no command, and changes no exit code.
 * Output that is lost for another reason, such as a full disk, is reported at the end.
 */
function listenForLostOutput(): void {
  let lost: Error | undefined;
  process.stdout.on("error", (error: Error & { code?: string }) => {
    if (error.code !== "EPIPE") lost ??= Object.assign(error, { path: "standard output" });
  });
  process.stderr.on("error", () => undefined);
  process.once("beforeExit", () => {
    if (lost && process.exitCode === 0) void tellLost(lost);
  });
}

async function tellLost(error: Error): Promise<void> {
  process.exitCode = (await import("./views/failure.ts")).tellFailure(error);
}

/**
 * Prints the version and returns whether that worked. Since the version is asked for often, this loads no module and opens no
 * stream, each of which takes as long as the rest; after an error, such as a full disk, the usual way reports it.
 */
function printVersion(path: URL): boolean {
  const fs = process.getBuiltinModule("node:fs");
  try {
    const { version } = JSON.parse(fs.readFileSync(path, "utf8")) as { version: string };
    fs.writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}

const [, , flag = "", ...others] = process.argv;
if (!isNewEnough(process.versions.node)) {
  process.stderr.write(`error: monoco needs Node 22.19 or newer, this is ${process.versions.node}\n`);
  process.stderr.write(`hint: take Node 24 from npm for monoco alone: ${byNewNode(process.argv)}\n`);
  process.exitCode = 2;
} else if (
  others.length > 0 ||
  !["--version", "-v"].includes(flag) ||
  !printVersion(new URL("../package.json", import.meta.url))
) {
  const argv = process.argv.slice(2);
  // Hooks run often, too: they load too little for a cache, and open no stream.
  if (flag !== "hook" || !others[0]?.startsWith("on-")) {
    listenForLostOutput();
    // A flood of output takes 160 MB with these flags, and 260 without.
    const heapFlags = "--semi-space-growth-factor=1 --heap-growing-percent=50";
    process.getBuiltinModule("node:v8").setFlagsFromString(heapFlags);
    process.getBuiltinModule("node:module").enableCompileCache();
  }
  process.exitCode = await (await import("./main.ts")).main(argv);
}
