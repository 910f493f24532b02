/** What may be a branch's name, by the rules of git-check-ref-format(1): anything else would be read as an expression. */

const never = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\//u;

export function isBranchName(name: string): boolean {
  if (never.test(name) || name === "@" || name.startsWith("-") || name.endsWith(".")) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
