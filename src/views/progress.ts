/** The progress of a run: one line for each event, and on a terminal a steady line about its session. */
import { plainLine } from "../core/text/sanitize.ts";
import { describeEvent } from "../core/journal/events/records.ts";
import { t } from "../core/language/translate.ts";
import { percent, seconds } from "../core/text/figures.ts";
import type { EventBody } from "../core/journal/event.ts";
import type { News } from "../core/session/news.ts";
import type { Screen } from "./terminal.ts";

/** A shorter step ends before anybody can read it. */
const saidFromMs = 1_000;

/** A listener for one issue's news. `stop` removes the live line. */
export function showProgress(screen: Screen, issue: string): { tell(news: News): void; stop(): void } {
  let startedMs: number | undefined;
  let context = "";
  let doing = "";
  const draw = (): void => {
    const elapsed = startedMs === undefined ? "" : ` ${seconds(Date.now() - startedMs)}`;
    screen.live(issue, `${issue}${elapsed}${context}  ${doing}`);
  };
  const ticking = setInterval(() => {
    if (startedMs !== undefined) draw();
  }, 1_000);
  ticking.unref();
  const onEvent = (event: EventBody & { atMs: number }): void => {
    if (event.type === "session.started") [startedMs, context, doing] = [event.atMs, "", t`starting`];
    if (event.type === "session.ended") {
      startedMs = undefined;
      screen.end(issue);
    }
    const described = describeEvent(event);
    if (described) screen.line({ ...described, text: `${issue}  ${described.text}` });
  };
  return {
    tell: (news) => {
      if (news.type === "event") return onEvent(news.event);
      if (news.type === "warning")
        return screen.line({ tone: "bad", text: `${issue}  ${t`warning: ${plainLine(news.text, 400)}`}` });
      if (news.type === "step" && news.ms !== undefined && news.ms >= saidFromMs)
        return screen.line({ tone: "dim", text: `${issue}  ${plainLine(news.text, 200)}` });
      if (news.type === "usage")
        context = `  ${t`context ${percent(news.contextTokens, news.windowTokens)}`}`;
      else if (news.type === "tool") doing = plainLine(`${news.name} ${news.summary}`, 100);
      else doing = plainLine(news.text, 100);
      return draw();
    },
    stop: () => {
      clearInterval(ticking);
      screen.end(issue);
    },
  };
}
