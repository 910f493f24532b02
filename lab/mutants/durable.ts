/** What survives power loss: the journal, the mailbox, and the files beside them. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "lab/test/torture/power-loss.test.ts";

const journal = mutantsOf("src/store/journal.ts", test, [
  ["an event is synced before it is told", "    fsyncSync(fd);\n  } catch (cause)", "  } catch (cause)"],
  ["a new journal's name is synced", "  syncFolder(dirname(path));\n", ""],
  ["a torn tail is cut", "cutTail(fd, chain.bytes);", "chain.bytes = fstatSync(fd).size;"],
  [
    "the cut of a torn tail is synced",
    "ftruncateSync(fd, bytes);\n  fsyncSync(fd);",
    "ftruncateSync(fd, bytes);",
  ],
]);

const chain = mutantsOf("src/store/chain.ts", test, [
  [
    "a torn line may have its line end",
    "if (where.last && !wasWritten(text, where.start)) return undefined;",
    "",
  ],
  ["zeros were never written", 'if (text.includes("\\0\\0")) return false;', ""],
  ["one zero in a sector of its own was never written", "(start + 1) % sectorBytes === 0", "false"],
]);

const files = mutantsOf("src/store/durable.ts", test, [
  [
    "a file is synced before it gets its name",
    "    writeFileSync(fd, text);\n    fsyncSync(fd);\n  } finally {",
    "    writeFileSync(fd, text);\n  } finally {",
  ],
  [
    "a file's name is synced",
    "path, () => writeSynced(temporary, text, given));\n  syncFolder(folder);",
    "path, () => writeSynced(temporary, text, given));",
  ],
  [
    "a file is not written in its place",
    "replace(temporary, path, () => writeSynced(temporary, text, given));",
    "writeFileSync(path, text);",
  ],
  [
    "a view is not written over what a crash left",
    "const temporary = temporaryIn(dirname(path));\n  replace(temporary, path, () => writeFileSync(",
    "const temporary = `${path}.tmp`;\n  replace(temporary, path, () => writeFileSync(",
  ],
  ["a new folder's name is synced", "syncFolder(dirname(made));", "    resolve(made);"],
  [
    "a file that was not there is synced",
    "writeSynced(temporary, text, undefined)",
    "writeFileSync(temporary, text)",
  ],
  [
    "the name of a file that was not there is synced",
    "rmSync(temporary, { force: true });\n  }\n  syncFolder(folder);",
    "rmSync(temporary, { force: true });\n  }",
  ],
]);

const atomic = ["import { writeDurably } from", "import { writeAtomically as writeDurably } from"] as const;

const letters = [
  ...mutantsOf("src/store/mailbox.ts", test, [
    [
      "a message is synced before it is told",
      "import { makeFolder, writeDurably } from",
      "import { makeFolder, writeAtomically as writeDurably } from",
    ],
  ]),
  ...mutantsOf("src/relay/people/inbox.ts", test, [
    [
      "a message is journaled before it is removed",
      "    if (!relay.state.messageIds.has(message.id)) {",
      "    take();\n    if (!relay.state.messageIds.has(message.id)) {",
    ],
    ["a message that came back is known", "!relay.state.messageIds.has(message.id)", "true"],
  ]),
  ...mutantsOf("src/store/handovers.ts", test, [["what is handed over is synced", ...atomic]]),
  ...mutantsOf("src/store/mark.ts", test, [["a mark is synced", ...atomic]]),
];

export const durable: readonly Mutant[] = [...journal, ...chain, ...files, ...letters];
