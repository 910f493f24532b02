/** Reads the output of `gh issue list --json` and `gh issue view --json` as items, and names the repository as a source. */
import { z } from "zod";
import { jsonOf } from "../error/attempt.ts";
import { MonocoError } from "../error/error.ts";
import type { Reading } from "./import-item.ts";
import { readList } from "./json-lines.ts";
import { t } from "../language/translate.ts";

/** The fields that monoco asks `gh` for. */
export const githubFields = "number,title,body,labels,state,stateReason,url";

const shape = z.array(z.looseObject({ number: z.number().int().positive(), url: z.url() }));

/** The issues, and their repository as `github:owner/name`. Throws `input` if the text is not output of gh. */
export function readGithubIssues(text: string, asked: string): { name: string; reading: Reading } {
  const issues = shape.safeParse([jsonOf(text)].flat());
  const first = issues.data?.[0];
  const place = first && placeIn(first.url);
  if (!place) {
    throw new MonocoError("input", t`${asked}: the answer is no list of issues`, {
      hint: t`run it by hand and look; a newer gh may be needed: gh ${asked.replace(/^gh /, "")}`,
    });
  }
  if (place.kind !== "issues") {
    throw new MonocoError("input", t`#${first.number} of ${place.repository} is a pull request`, {
      hint: [
        [
          { do: "by_hand", what: t`name an issue` },
          { do: "import", from: "github 12" },
        ],
      ],
    });
  }
  const records = issues.data!.map((record) => ({ record, line: 1 }));
  return { name: `github:${place.repository}`, reading: readList(records, asked) };
}

/** The repository in an address (`owner/name`, with the host before it if that is not github.com), and the kind of page. */
function placeIn(url: string): { repository: string; kind: string } | undefined {
  const [, host = "", owner, name, kind = ""] =
    /^https?:\/\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\//.exec(url) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  return { repository: `${host === "github.com" ? "" : `${host}/`}${owner}/${name}`, kind };
}
