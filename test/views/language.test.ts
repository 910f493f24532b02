/** `language: zh` at the terminal: what people look at most speaks Chinese, and stands in its columns. */
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { issuePath, openPlace, run } from "../support/place.ts";

const issue =
  "---\nid: FEAT-0001\ntitle: 写一个文件\nstatus: open\nstage: draft\n---\n\n## Objective\n\n一个文件。\n\n## Acceptance Criteria\n\n- [ ] 文件已存在\n";
const story = {
  executor: [[run("echo 1 > $MONOCO_ISSUE.txt && git add -A && git commit -qm Work && monoco issue submit")]],
  reviewer: [[{ verdict: "approve" }]],
};

test("a finished relay is told in Chinese, and its columns line up", async () => {
  const place = await openPlace(story, {
    settings: "language: zh\n",
    files: { [issuePath("FEAT-0001")]: issue },
  });
  await place.monoco("run", "FEAT-0001");
  const [inbox, status, report, log] = await Promise.all(
    [[], ["relay", "status", "FEAT-0001"], ["report"], ["relay", "log"]].map((words) =>
      place.monoco(...words),
    ),
  );
  for (const x of [inbox, status, report, log]) console.log(x!.stdout, x!.stderr);
});
