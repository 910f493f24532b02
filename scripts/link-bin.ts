/** After a build: `npx monoco` in the project itself runs it. npm links the commands of dependencies, not the project's own. */
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const link = fileURLToPath(new URL("node_modules/.bin/monoco", root));

chmodSync(new URL("dist/cli.js", root), 0o755);
if (existsSync(new URL("node_modules", root)) && process.platform !== "win32") {
  mkdirSync(fileURLToPath(new URL("node_modules/.bin/", root)), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync("../../dist/cli.js", link);
}
