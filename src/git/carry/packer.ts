/** The author of the commits that carry records of monoco: the same in each clone, so that equal records have equal ids. */
const who = { NAME: "monoco", EMAIL: "monoco@localhost", DATE: "@0 +0000" };

/** The environment for `git commit-tree`. */
export const packerEnv: Readonly<Record<string, string>> = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((role) =>
    Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
  ),
);
