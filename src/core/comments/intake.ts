/** Decides whether an issue that was labelled on its host comes in, and makes an item of what the person saw who labelled it. */
import type { IssueEvent } from "./event.ts";
import { isSameLogin } from "./weigh.ts";
import { intakeCharsMax } from "../limits.ts";
import { t } from "../language/translate.ts";
import type { Reading } from "../exchange/import-item.ts";
import { readList } from "../exchange/json-lines.ts";

/** The issue as the host's API has it now. */
export type Upstreams = { title: string; body: string; labels: string[]; isOpen: boolean };

export type IntakeFacts = {
  event: IssueEvent;
  now: Upstreams;
  label: string;
  /** The logins that agents write by, and monoco's own. */
  never: readonly string[];
  /** The host confirms that the sender may write. */
  may: boolean;
};

/** The reason why the issue does not come in; undefined if it does. */
export function whyNotTaken({ event, now, label, never, may }: IntakeFacts): string | undefined {
  if (!may || never.some((login) => isSameLogin(login, event.sender)))
    return t`only a person with write access can let an issue in, by putting on the label ${label}`;
  if (!now.isOpen) return t`the issue is closed`;
  if (!now.labels.includes(label)) return t`the label ${label} is gone again`;
  if (event.title !== now.title || sameEnds(event.body) !== sameEnds(now.body))
    return t`its text was changed since the label ${label} was put on: read it, then take the label off and put it on again`;
  return now.body.length > intakeCharsMax
    ? t`its text has more than ${intakeCharsMax} characters`
    : undefined;
}

const sameEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** The issue as an item. Front matter in it, which could name checks and what may be changed, is dropped; its labels become tags. */
export function intakeReading(event: IssueEvent, now: Upstreams, label: string): Reading {
  const body = sameEnds(event.body).replace(/^\s*---\n[\s\S]*?\n---(?:\n|$)/, "");
  const labels = now.labels.filter((name) => name !== label);
  const record = { number: event.number, title: event.title, body, labels, state: "OPEN" };
  return readList([{ record, line: 1 }], `#${event.number}`);
}
