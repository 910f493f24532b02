/** Notifies people during a run of the issues that need them: in batches, and with a bell at a terminal. */
import { deliverBatch } from "../../app/overview/notify.ts";
import type { Here } from "../../app/here.ts";
import { linkTo } from "../../app/live/link.ts";
import { notifyBatchMs } from "../../core/limits.ts";
import { isUrgent, noticeOf } from "../../core/report/notice.ts";
import type { Notice } from "../../core/report/notice.ts";
import type { NotifySettings } from "../../core/settings/settings.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { firstWay } from "../../views/hint.ts";
import type { News } from "../../core/session/news.ts";
import { ringBell } from "../../views/terminal.ts";
import type { Screen } from "../../views/terminal.ts";
import { t } from "../../core/language/translate.ts";

export type Notifier = {
  tell(issue: string, news: News): void;
  /** Delivers the remaining notices. */
  end(): Promise<void>;
};

export function openNotifier(here: Here, settings: NotifySettings | undefined, screen: Screen): Notifier {
  let waiting: Notice[] = [];
  let timer: NodeJS.Timeout | undefined;
  let delivering = Promise.resolve();
  const flush = (): void => {
    const notices = waiting;
    waiting = [];
    timer = undefined;
    if (notices.length === 0 || !settings) return;
    const batch = {
      v: 1,
      repository: here.repository.root,
      notices: notices.map((one) => inWords(here, one)),
    } as const;
    delivering = delivering.then(async () => {
      const failed = await deliverBatch(batch, settings);
      for (const text of failed) screen.line({ tone: "bad", text: t`warning: ${plainLine(text, 400)}` });
    });
  };
  return {
    tell: (issue, news) => {
      const notice = news.type === "event" ? noticeOf(issue, news.event) : undefined;
      if (!notice) return;
      if (isUrgent(notice)) ringBell();
      waiting.push(notice);
      timer ??= setTimeout(flush, notifyBatchMs).unref();
    },
    end: async () => {
      clearTimeout(timer);
      flush();
      await delivering;
    },
  };
}

function inWords(here: Here, { kind, issue, text, atMs, step }: Notice) {
  const command = step ? firstWay([[step]], { issue }) : `monoco status ${issue}`;
  return { kind, issue, text, at: new Date(atMs).toISOString(), command, link: linkTo(here, issue) };
}
