/** Which modules share a file of dist: each file costs the start of a command, and each byte that it does not need. */
import { join } from "node:path";
import type { CodeSplittingGroup, OutputChunk } from "rolldown";

const sources = join(import.meta.dirname, "../src");

/** In the order of their claims. */
type Groups = readonly (readonly [name: string, test: RegExp | ((id: string) => boolean)])[];

/** What nearly every command loads: each a file, with all that it imports and that none before it has. */
const layers: Groups = [
  ["start", /\/src\/(?:main|hook\/hook)\.ts$/],
  ["ahead", /\/src\/(?:git\/start\/ahead|agents\/containment)\.ts$/],
  ["verbs", /\/src\/(?:program|commands\/verbs)\.ts$/],
  ["here", /\/src\/app\/here\.ts$/],
];

/** Large packages, with what calls them. */
const packages: Groups = [
  ["zod", /\/node_modules\/zod\//],
  ["yaml", /\/node_modules\/yaml\//],
  ["markdown", /\/src\/core\/text\/markdown\.ts$/],
];
/** With execa; after whatever is shared without it. */
const heldProgram = /\/src\/agents\/child\.ts$/;

/** The groups of a first build, and of a second one, which is given the chunks of the first. */
export function groupsBy(chunks: readonly OutputChunk[] = []): CodeSplittingGroup[] {
  const groups = chunks.length === 0 ? layers : [...layers, ...joinedBy(chunks)];
  return groups.map(([name, test], index) => ({ name, test, priority: groups.length - index }));
}

/** Commands that run a relay, or act on one as a run does, and parts of others that do. */
const runs =
  /\/src\/commands\/(?:run\/\w[\w-]*|relay\/(?:control|say)|issue\/(?:review|review-next|submit-by-person)|agent\/probe[\w-]*|doctor)\.ts$/;
/** Commands, and parts of them, that know the agents and all that a relay has. */
const knowers =
  /\/src\/(?:app\/no-relay|commands\/(?:report|init|checks-here|hook\/install|relay\/(?:log|explain|diff|stats|replay|prepare-by-person)|agent\/(?!probe)[\w-]+))\.ts$/;

/** Commands that read journals besides. */
const readers = /\/src\/commands\/issue\/(?:lint|step)\.ts$/;

/** What a run loads goes to the first kind of which a command needs it, too. */
const kinds: readonly (readonly [name: string, isOf: (command: string) => boolean])[] = [
  // Both are called often: nothing is joined to what they load that they would not load without it.
  ["looked", (command) => /\/src\/commands\/(?:relay\/status|inbox)\.ts$/.test(command)],
  // What agents call in a session.
  ["told", (command) => /\/src\/commands\/(?:relay\/(?:ask|extend)|issue\/submit)\.ts$/.test(command)],
  ["held", (command) => command.endsWith("/src/commands/check.ts")],
  ["settings", (command) => command.endsWith("/src/commands/config-show.ts")],
  ["records", (command) => ![runs, knowers, readers].some((one) => one.test(command))],
  ["journals", (command) => readers.test(command)],
  ["relays", (command) => knowers.test(command) && !runs.test(command)],
  ["runner", (command) => runs.test(command)],
];

/** What a run loads is joined by who else needs it. */
function joinedBy(chunks: readonly OutputChunk[]): Groups {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const commands = chunks.flatMap((one) =>
    one.isDynamicEntry ? [{ id: one.facadeModuleId ?? "", loaded: loadedWith(one, byName) }] : [],
  );
  const hasHeldProgram = (one: OutputChunk): boolean => one.moduleIds.some((id) => heldProgram.test(id));
  const kindOf = (chunk: OutputChunk): string | undefined => {
    const by = commands.filter(({ loaded }) => loaded.has(chunk)).map(({ id }) => id);
    if (!by.some((id) => runs.test(id))) return undefined;
    const kind = kinds.find(([, isOf]) => by.some(isOf))?.[0];
    if (![...loadedWith(chunk, byName)].some(hasHeldProgram)) return kind;
    return kind === "held" ? undefined : "runner";
  };
  const shared = chunks.filter((one) => !one.isEntry && !one.isDynamicEntry);
  const kindOfModule = new Map(
    shared.flatMap((chunk) => chunk.moduleIds.map((id) => [id, kindOf(chunk)] as const)),
  );
  // The others are joined by their kinds.
  const small = smallShared(chunks, (one) => ["looked", undefined].includes(kindOf(one)));
  const joined = kinds.map(([name]) => [name, (id: string) => kindOfModule.get(id) === name] as const);
  return [
    ["small", (id) => small.has(id)],
    ...packages,
    ...joined.slice(0, -2),
    ["child", heldProgram],
    ...joined.slice(-2),
  ];
}

function loadedWith(chunk: OutputChunk, byName: ReadonlyMap<string, OutputChunk>): ReadonlySet<OutputChunk> {
  const loaded = new Set([chunk]);
  for (const one of loaded)
    for (const name of one.imports) {
      const imported = byName.get(name);
      if (imported) loaded.add(imported);
    }
  return loaded;
}

const smallBytes = 16_000;

/**
 * The modules of small files that several commands load, and that bring neither a package nor a large file: as a file of its own
 * each costs its command more than all of them together.
 */
function smallShared(
  chunks: readonly OutputChunk[],
  isFree: (one: OutputChunk) => boolean,
): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const given = new Set(layers.map(([name]) => `${name}.js`));
  const isSmall = ({ code, moduleIds }: OutputChunk): boolean =>
    code.length < smallBytes && moduleIds.every((id) => id.startsWith(sources));
  const small = new Set(
    chunks.filter((one) => !one.isEntry && !one.isDynamicEntry && isSmall(one) && isFree(one)),
  );
  for (let size = -1; size !== small.size;) {
    size = small.size;
    for (const chunk of small) {
      const others = chunk.imports.filter((name) => !given.has(name)).map((name) => byName.get(name));
      if (others.some((other) => other && !small.has(other))) small.delete(chunk);
    }
  }
  return new Set([...small].flatMap(({ moduleIds }) => moduleIds));
}
