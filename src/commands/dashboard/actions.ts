/** What a person does in the dashboard: the commands' own functions, called as by the command line, in the folder of the repository. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { MonocoError } from "../../core/error/error.ts";
import { saidCharsMax } from "../../core/limits.ts";
import { plain } from "../../core/text/sanitize.ts";
import type { Here } from "../../app/here.ts";
import { within } from "../../io/io.ts";
import { tellFailure } from "../../views/failure.ts";
import type { Done } from "../../views/page/facts.ts";
import { jobsDefault } from "../options.ts";
import { t } from "../../core/language/translate.ts";

const said = z.string().min(1).max(saidCharsMax);
const submission = z.number().int();
const comment = z.strictObject({
  text: said,
  file: z.string().min(1).max(4_096).exactOptional(),
  line: z.number().int().positive().exactOptional(),
});
const asked = z.discriminatedUnion("do", [
  z.object({ do: z.literal("answer"), text: said }),
  z.object({ do: z.literal("say"), text: said }),
  z.object({ do: z.literal("stop") }),
  z.object({ do: z.literal("resume") }),
  z.object({ do: z.literal("approve"), submission, text: z.string().max(saidCharsMax) }),
  z.object({ do: z.literal("request_changes"), submission, comments: z.array(comment).min(1).max(500) }),
]);
type Asked = z.infer<typeof asked>;

/** Does it, and resolves to what the command printed. Throws `input` for what is no action. */
export async function act({ here, issue }: { here: Here; issue: string }, body: object): Promise<Done> {
  const { data } = asked.safeParse(body);
  if (!data) throw new MonocoError("input", t`no such action`);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const surroundings = { cwd: here.repository.worktree, stdout, stderr, onStop: () => () => undefined };
  const code = await within(surroundings, () => commandOf(issue, data).catch(tellFailure));
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  const [first = "", ...rest] = plain(code === 0 ? out : err || out)
    .trim()
    .split("\n");
  return { ok: code === 0, text: first.trim(), hint: rest.join("\n").trim() };
}

async function commandOf(id: string, data: Asked): Promise<number> {
  const verdict = { show: false, edit: false, stat: false, file: [], run: true, detach: true, json: false };
  switch (data.do) {
    case "answer":
      return (await import("../relay/say.ts")).answer(id, data.text, { json: false });
    case "say":
      return (await import("../relay/say.ts")).say(id, data.text, { json: false });
    case "stop":
      return (await import("../relay/control.ts")).stop(id, { json: false });
    case "resume": {
      const { run } = await import("../run/run.ts");
      const how = { once: false, wait: true, json: false, resume: true, detach: true };
      return run([id], { jobs: jobsDefault, ...how });
    }
    case "approve": {
      const { submission, text } = data;
      const message = text.trim() === "" ? {} : { message: [text] };
      const flags = { ...verdict, ...message, submission, approve: true, requestChanges: false };
      return (await import("../issue/review.ts")).review([id], flags);
    }
    case "request_changes": {
      const { submission, comments } = data;
      const message = comments.map((one) => one.text);
      const flags = { ...verdict, message, comments, submission, approve: false, requestChanges: true };
      return (await import("../issue/review.ts")).review([id], flags);
    }
  }
}
