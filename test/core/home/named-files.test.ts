/** Which files of a home the settings of an agent's CLI name: what a command runs is needed, its arguments may be anything. */
import { expect, test } from "vitest";
import { pathsIn } from "../../../src/core/home/home-files.ts";
import { filesNamed } from "../../../src/core/home/named-files.ts";

const hook = (command: string): object => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
const server = (of: object): object => ({ mcpServers: { mine: of } });

test.for<[title: string, settings: object, needed: string[], besides?: string[]]>([
  ["a program", hook("~/bin/guard --strict"), ["bin/guard"]],
  ["a script of a shell", hook("sh ~/x.sh"), ["x.sh"]],
  ["a variable for the home, in quotes", hook('"$HOME"/bin/guard "${HOME}/list"'), ["bin/guard"], ["list"]],
  ["a path", hook("/home/me/bin/guard"), ["bin/guard"]],
  ["a path with a blank", hook("'/home/me/my bin/guard'"), ["my bin/guard"]],
  ["a launcher with options", hook("env A=1 timeout 5 python3 -u ~/x.py --log ~/y"), ["x.py"], ["y"]],
  ["a line within a line", hook(`bash -lc 'cd /x && ~/bin/guard'`), ["bin/guard"]],
  ["several commands", hook("jq . | ~/bin/a && (~/bin/b || true)"), ["bin/a", "bin/b"]],
  ["a file that is only written", hook("jq . >> ~/hooks.log 2>&1"), []],
  ["a file that may be missing", hook("[ -x ~/bin/a ] && ~/bin/a"), [], ["bin/a", "bin/a"]],
  [
    "an interpreter of the home",
    server({ command: "~/.venv/bin/python", args: ["~/mcp/s.py"] }),
    [".venv/bin/python", "mcp/s.py"],
  ],
  [
    "a server's arguments",
    server({ command: "npx", args: ["-y", "files", "/home/me/Documents"] }),
    [],
    ["Documents"],
  ],
  ["a server's words", { mcp: { mine: { type: "local", command: ["node", "~/s.js"] } } }, ["s.js"]],
  ["a server that is off", { mcp_servers: { mine: { command: "~/s", enabled: false } } }, []],
  ["a helper for the key", { apiKeyHelper: "~/bin/key" }, ["bin/key"]],
  ["a program that is told of a turn", { notify: ["~/bin/tell", "now"] }, ["bin/tell"]],
  ["other settings", { projects: { "/home/me/secret": {} }, command: "~/x" }, []],
])("%s", ([, settings, needed, besides = []]) => {
  const files = filesNamed(settings, "/home/me");
  const named = (which: boolean): string[] =>
    files.filter((one) => one.needed === which).map(({ path }) => path.slice("/home/me/".length));
  expect([named(true), named(false)]).toEqual([needed, besides]);
});

test("the paths of the home that a text names", () => {
  const text =
    "ca=~/certs/ca.pem: cat: /home/me/.pgpass: No such file. '${HOME}/x y' /home/meta/z /srv/home/me/q";
  expect(pathsIn(text, "/home/me")).toEqual(
    ["certs/ca.pem", ".pgpass", "x"].map((name) => `/home/me/${name}`),
  );
});
