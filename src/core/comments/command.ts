/** Reads a command for monoco in a comment on an issue or pull request: `/monoco WORD …`, on the first line and nowhere else. */
import { saidCharsMax } from "../limits.ts";
import { plain } from "../text/sanitize.ts";
import { t } from "../language/translate.ts";

export type CommentCommand =
  | { do: "answer" | "say" | "request-changes"; text: string }
  | { do: "approve"; commit: string }
  | { do: "stop" };

/** Undefined: the comment is none of monoco's business. `wrong`: it was meant as a command, and is none. */
export function commandIn(body: string): CommentCommand | { wrong: string } | undefined {
  const [first = ""] = body.split(/[\r\n]/, 1);
  const [all, word = "", given = ""] = /^\/monoco(?=[ \t]|$)[ \t]*(\S*)(.*)$/su.exec(first) ?? [];
  if (all === undefined) return undefined;
  const rest = plain(given).trim().toWellFormed();
  switch (word) {
    case "answer":
    case "say":
    case "request-changes":
      if (rest === "") return { wrong: t`the words are missing: /monoco ${word} TEXT, on one line` };
      if (rest.length > saidCharsMax)
        return { wrong: t`${rest.length} characters are too many: at most ${saidCharsMax}` };
      return { do: word, text: rest };
    case "approve":
      if (!/^[0-9a-f]{12,64}$/.test(rest))
        return { wrong: t`the commit is missing: /monoco approve COMMIT, with 12 of its digits or more` };
      return { do: "approve", commit: rest };
    case "stop":
      return rest === "" ? { do: "stop" } : { wrong: t`/monoco stop takes no words` };
    default:
      return {
        wrong: t`expected one of /monoco answer TEXT, approve COMMIT, request-changes TEXT, say TEXT, stop`,
      };
  }
}
