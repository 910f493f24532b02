/** A branch that lacks commits of its upstream: what is said of it, and what to do. */
import type { Advice } from "../error/hint-schema.ts";
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";

/** As last fetched. `ahead`: the commits that only the branch has. */
export type Behind = { branch: string; upstream: string; commit: string; behind: number; ahead: number };

export function behindWords({ branch, upstream, behind, ahead }: Behind): string {
  return ahead === 0
    ? t`${branch} is ${counted(behind, "commit")} behind ${upstream}, as last fetched`
    : t`${branch} is ${counted(behind, "commit")} behind and ${counted(ahead, "commit")} ahead of ${upstream}, as last fetched`;
}

export function behindRemedy({ branch, upstream, ahead }: Behind): Advice {
  return ahead === 0
    ? [[{ do: "update" }], [{ do: "by_hand", what: t`on ${branch}: git merge --ff-only ${upstream}` }]]
    : t`merge ${upstream} into ${branch}, or rebase ${branch} onto it`;
}
