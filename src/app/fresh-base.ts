/** A base that lacks commits of its upstream: it is fast-forwarded if the person asks for that, and never otherwise. */
import { MonocoError } from "../core/error/error.ts";
import type { Advice } from "../core/error/hint-schema.ts";
import { counted } from "../core/language/counted.ts";
import { behindRemedy, behindWords } from "../core/relay/behind.ts";
import { t } from "../core/language/translate.ts";
import { moveBase } from "../git/landing.ts";
import { behindUpstream } from "../git/remotes.ts";
import { commitOf } from "../git/repository.ts";
import type { Here } from "./here.ts";

type Said = { words: string; hint?: Advice };

/** What to say of the base before the first session; undefined if it has all of its upstream. Throws `input` if an update is refused. */
export async function freshBase(here: Here, base: string, update: boolean): Promise<Said | undefined> {
  const { git } = here.repository;
  const expected = (await commitOf(git, `refs/heads/${base}`)) ?? "";
  const behind = await behindUpstream(git, base);
  if (!behind) return undefined;
  const [words, hint] = [behindWords(behind), behindRemedy(behind)];
  if (!update) return { words, hint };
  if (behind.ahead > 0) throw new MonocoError("input", words, { hint });
  const moved = await moveBase(git, { base, commit: behind.commit, expected });
  if (moved.moved) {
    const brought = counted(behind.behind, "commit");
    return { words: t`${base} is fast-forwarded to ${behind.upstream}: ${brought}` };
  }
  const [at, why, remedy] =
    moved.why === "lost"
      ? [base, t`it has moved meanwhile`, t`run the same command again`]
      : [moved.why === "held" ? moved.worktree : base, moved.because, moved.remedy];
  throw new MonocoError("input", t`${base} cannot be fast-forwarded to ${behind.upstream}: ${at}: ${why}`, {
    hint: remedy,
  });
}
