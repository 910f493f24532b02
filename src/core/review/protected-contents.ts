/** Protected changes that only the contents or the mode of a file show: scripts that package managers start, links to sources. */
import { isCode } from "../weakening/code-file.ts";
import { languageOf } from "../weakening/code-line.ts";
import { scriptsOf } from "../weakening/command-names.ts";

/** Scripts that npm, Yarn, pnpm and bun start by themselves when packages are installed or published. */
const lifeCycle =
  /^(?:(?:pre|post)?(?:install|prepare)|pre(?:pack|publish|publishOnly)|postpack|dependencies|pnpm:devPreinstall)$/;

/** The life-cycle scripts that a package.json adds or changes. */
export function lifeCycleChanged(before: string | undefined, after: string | undefined): string[] {
  const [was, is] = [scriptsOf(before), scriptsOf(after)];
  return Object.keys(is).filter((name) => lifeCycle.test(name) && is[name] !== was[name]);
}

/** A path that has become a symbolic link. `wasFile`: it was a regular file before. */
export type NewLink = { path: string; target: string; wasFile: boolean };

/** Whether code is read through the link: it replaced a source, or points to a source, a program or a folder. */
export function linksSources({ path, target, wasFile }: NewLink): boolean {
  const name = target.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return (wasFile && isCode(languageOf(path))) || isCode(languageOf(target)) || !/.\.[^.]+$/.test(name);
}
