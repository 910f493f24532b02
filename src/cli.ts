#!/usr/bin/env node
/** The program `monoco`: the command line in a process of its own. */

/** The same as `engines` in package.json; older ones lack what is imported here by name. */
function isNewEnough(node: string): boolean {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** The same command by a Node that npm brings, as a shell reads it. */
function byNewNode([, cli = "", ...args]: readonly string[]): string {
  const quoted = (word: string): string =>
    /^[\w./@:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return ["npx", "-y", "-p", "node@24", "node", cli, ...args].map(quoted).join(" ");
}

/**
 * Nothing depends on what is printed: a reader that goes away (`| head -1`) ends no command, and changes no exit code.
 * Output that is lost for another reason, a full disk say, is told at the end. Without a listener each would be a crash.
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
 * Prints the version, which is asked for often, and returns whether it did. It loads no module and opens no stream, each
 * of which takes as long as the rest; an error, such as a full disk, is reported in the usual way.
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
  process.stderr.write(`error: monoco needs Node 22.18 or newer, this is ${process.versions.node}\n`);
  process.stderr.write(`hint: take Node 24 from npm for monoco alone: ${byNewNode(process.argv)}\n`);
  process.exitCode = 2;
} else if (
  others.length > 0 ||
  !["--version", "-v"].includes(flag) ||
  !printVersion(new URL("../package.json", import.meta.url))
) {
  const argv = process.argv.slice(2);
  // The hooks run often, too: what they load is too little for a cache, and they open no stream.
  if (flag !== "hook" || !others[0]?.startsWith("on-")) {
    listenForLostOutput();
    // A flood of output takes 160 MB with these, and 260 without.
    const heapFlags = "--semi-space-growth-factor=1 --heap-growing-percent=50";
    process.getBuiltinModule("node:v8").setFlagsFromString(heapFlags);
    process.getBuiltinModule("node:module").enableCompileCache();
  }
  process.exitCode = await (await import("./main.ts")).main(argv);
}
