/** `npm run link`: puts the launcher of this clone on the PATH of all programs, which a shell's alias is not. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const launcher = join(import.meta.dirname, "../src/launch.sh");
const folder = join(homedir(), ".local/bin");
const link = join(folder, "monoco");

const there = lstatSync(link, { throwIfNoEntry: false });
if (there && !(there.isSymbolicLink() && readlinkSync(link).endsWith("/src/launch.sh"))) {
  process.stderr.write(`error: ${link} is there, and not a link that npm run link made\n`);
  process.stderr.write(`hint: move it away, then run npm run link again\n`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
rmSync(link, { force: true });
symlinkSync(launcher, link);
process.stdout.write(`${link} runs ${launcher}\n`);
const folders = (process.env["PATH"] ?? "").split(delimiter);
if (!folders.includes(folder))
  process.stdout.write(
    `next: put it on your PATH: echo 'PATH="$HOME/.local/bin:$PATH"' >> ~/.profile, and log in again\n`,
  );
if (!existsSync(join(import.meta.dirname, "../dist/cli.js"))) process.stdout.write("next: npm run build\n");
