/** The review of a submission: the evidence first, what weakens tests and has to be answered, findings, then the diff with comments. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { wordsOf } from "../core/error/error.ts";
import { Checks, Evidence, Findings, Lines, section } from "../views/page/evidence.ts";
import type { ReviewFacts } from "../views/page/facts.ts";
import { Markdown } from "../views/page/markdown.ts";
import { addressOf, follow, get, trouble } from "./client.ts";
import type { Of } from "./client.ts";
import { hrefOf } from "./address.ts";
import { commentsOn, findingOf, placeWords } from "./comments.ts";
import type { Comment } from "./comments.ts";
import { bound, draft, forgetting } from "./drafts.ts";
import { Late } from "./late.ts";
import { Answer, Command, useAct } from "./parts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

export function ReviewPage(of: Of): JSX.Element {
  const facts = useSignal<ReviewFacts | null | undefined>(undefined);
  useEffect(() => {
    document.title = `${of.id} · review · monoco`;
    let asked = 0;
    const load = async (): Promise<void> => {
      const turn = (asked += 1);
      const told = (error: unknown): void => void (trouble.value = wordsOf(error));
      const read = await get<ReviewFacts | null>(addressOf("review", of)).catch(told);
      // An older answer may come later.
      if (turn === asked && read !== undefined) facts.value = read;
    };
    // The relay's stream says when something has changed.
    return follow(addressOf("relay", of), ({ event }) => void (event === "facts" && load()));
  }, [of.id, of.repository]);
  const now = facts.value;
  if (!now)
    return el(
      "main",
      el("h1", of.id),
      el("p.dim", now === null ? t`There is no submission to review.` : t`Looking …`),
    );
  const { head, verdict, summary, trial, places, closed } = now;
  return el(
    "main",
    el("h1", t`${now.id}, submission ${now.submission}: ${now.title}`),
    el("p.dim", [head.slice(0, 12), verdict].filter(Boolean).join(" · ")),
    el(
      "div.bar",
      h("a", { class: "button", href: hrefOf(of) }, t`The relay`),
      h(
        "button",
        { "data-act": "review", onClick: () => document.getElementById("verdict")?.focus() },
        t`Your verdict`,
      ),
    ),
    h(Command, { command: now.command }),
    section(t`Evidence by criterion`, h(Evidence, now)),
    summary.length > 0 && section(t`Verdict`, h(Markdown, { blocks: summary })),
    trial.length > 0 && section(t`The tests, put to the test`, h(Lines, { lines: trial })),
    places.length > 0 && section(t`To answer before an approval`, h(Places, { facts: now })),
    section(t`Findings`, h(Findings, now)),
    section(t`Checks`, h(Checks, now)),
    section(t`Changes`, h(Late, { key: `${head} ${closed}`, load: () => changes(now) })),
    section(t`Your verdict`, h(Verdict, { facts: now })),
  );
}

async function changes(facts: ReviewFacts): Promise<JSX.Element> {
  const diff = get<{ text: string }>(addressOf("diff", facts));
  const [{ diffView }, { text }] = await Promise.all([import("./diff-view.ts"), diff]);
  return diffView(text, facts.closed === null ? facts : undefined);
}

/** The person's own answer to a listed place: of this submission alone, since another one numbers its places anew. */
function ownAnswer({ repository, id, submission }: ReviewFacts, place: string): Signal<string> {
  return draft(`place:${repository}:${id}:${submission}:${place}`);
}

/** A listed place, the Reviewer's answer to it, and the person's own. */
function Places({ facts }: { facts: ReviewFacts }): JSX.Element {
  return el(
    "ul.plain",
    facts.places.map(({ id, words, answer }) =>
      el(
        "li.place",
        el("div", el("strong", id), ` ${words}`),
        h(
          "div",
          { class: answer ? "dim" : "warn" },
          answer ? t`the Reviewer's answer: ${answer}` : t`nobody has answered it`,
        ),
        facts.closed === null &&
          h("input", {
            type: "text",
            "aria-label": t`Why ${id} may stay`,
            placeholder: t`Why it may stay`,
            ...bound(ownAnswer(facts, id)),
          }),
      ),
    ),
  );
}

/** The comments; one that is older than the submission can only be dropped. */
function Written({ written }: { written: readonly Comment[] }): JSX.Element | null {
  if (written.length === 0) return null;
  return el(
    "ul",
    written.map(({ at, name, older }) => {
      const text = draft(name);
      const drop = h("button", { class: "small", onClick: () => (text.value = "") }, t`Drop`);
      const before = older && [el("span.warn", t`on submission ${older}, not sent: `), drop, " "];
      return h("li", { key: name }, before, el("code", placeWords(at)), ` ${text.value}`);
    }),
  );
}

function Verdict({ facts }: { facts: ReviewFacts }): JSX.Element {
  const { closed, submission, places } = facts;
  const { busy, done, give } = useAct(facts);
  const note = draft(`note:${facts.repository}:${facts.id}`);
  const written = commentsOn(facts);
  const comments = written.filter(({ older }) => older === undefined);
  const answers = places.map((one) => ({ ...one, own: ownAnswer(facts, one.id) }));
  const open = answers.flatMap(({ id, answer, own }) => (answer === null && !own.value.trim() ? id : []));
  const judge = async (wish: Parameters<typeof give>[0]): Promise<void> => {
    const own = [...answers.map((one) => one.own), ...comments.map(({ name }) => draft(name))];
    const forget = forgetting([note, ...own]);
    if (await give(wish)) forget();
  };
  const approve = (): void => {
    const own = answers.flatMap(({ id, own: { value } }) => (value.trim() ? `${id}: ${value.trim()}` : []));
    const beside = comments.map(({ at, name }) => `${placeWords(at)}: ${draft(name).value}`);
    const text = [note.value.trim(), ...own, ...beside].filter(Boolean).join("\n\n");
    void judge({ do: "approve", submission, text });
  };
  const request = (): void => {
    const whole = note.value.trim() ? [{ text: note.value.trim() }] : [];
    const findings = [...whole, ...comments.map(findingOf)];
    if (findings.length > 0) void judge({ do: "request_changes", submission, comments: findings });
    else
      done.value = {
        ok: false,
        text: t`What has to change? Write it here, or at a line of the diff.`,
        hint: "",
      };
  };
  const button = (act: string, name: string, onClick: () => void, disabled = busy.value): JSX.Element =>
    h("button", { class: act === "approve" ? "main" : "", "data-act": act, disabled, onClick }, name);
  return el(
    "div",
    closed === null ? null : el("p", closed),
    closed === null && [
      h(Written, { written }),
      h("textarea", {
        rows: 3,
        id: "verdict",
        "aria-label": t`About the whole submission`,
        placeholder: t`About the whole submission`,
        ...bound(note),
      }),
      el(
        "div.bar",
        button("approve", t`Approve`, approve, busy.value || open.length > 0),
        button("request_changes", t`Request changes`, request),
        open.length > 0 && el("span.warn", t`answer ${open.join(", ")} first, above`),
      ),
    ],
    h(Answer, { done: done.value }),
  );
}
