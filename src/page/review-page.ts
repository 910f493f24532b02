/** The review of a submission: the evidence first, what weakens tests and has to be answered, findings, then the diff with comments. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import { Checks, Evidence, Findings, Lines, Section } from "../views/page/evidence.ts";
import type { Done, ReviewFacts } from "../views/page/facts.ts";
import { Markdown } from "../views/page/markdown.ts";
import { act, addressOf, get } from "./client.ts";
import { hrefOf } from "./address.ts";
import { bound, draft, draftsOf } from "./drafts.ts";
import { Late } from "./late.ts";
import { Answer, Command } from "./parts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

type Of = { repository: string; id: string };

export function ReviewPage(of: Of): JSX.Element {
  const facts = useSignal<ReviewFacts | null | undefined>(undefined);
  const done = useSignal<Done | undefined>(undefined);
  const load = (): void =>
    void get<ReviewFacts | null>(addressOf("review", of)).then((read) => (facts.value = read));
  useEffect(() => {
    document.title = `${of.id} · review · monoco`;
    load();
  }, [of.id, of.repository]);
  const now = facts.value;
  if (!now)
    return el(
      "main",
      el("h1", of.id),
      el("p.dim", now === null ? t`There is no submission to review.` : t`Looking …`),
    );
  const sent = (came: Done): void => {
    done.value = came;
    if (came.ok) load();
  };
  return el(
    "main",
    el("h1", t`${now.id}, submission ${now.submission}: ${now.title}`),
    el("p.dim", now.head.slice(0, 12), now.verdict ? ` · ${now.verdict}` : ""),
    el("p", h("a", { href: hrefOf(of) }, t`The relay`)),
    h(Command, { command: now.command }),
    h(Section, { title: t`Evidence by criterion` }, h(Evidence, now)),
    now.summary.length > 0 ? h(Section, { title: t`Verdict` }, h(Markdown, { blocks: now.summary })) : null,
    now.trial.length > 0
      ? h(Section, { title: t`The tests, put to the test` }, h(Lines, { lines: now.trial }))
      : null,
    now.places.length > 0
      ? h(Section, { title: t`To answer before an approval` }, h(Places, { facts: now }))
      : null,
    h(Section, { title: t`Findings` }, h(Findings, now)),
    h(Section, { title: t`Checks` }, h(Checks, now)),
    h(
      Section,
      { title: t`Changes` },
      h(Late, {
        key: now.head,
        load: async () => {
          const [{ diffView }, { text }] = await Promise.all([
            import("./diff-view.ts"),
            get<{ text: string }>(addressOf("diff", of)),
          ]);
          return diffView(text, now.closed === null ? (file, line) => comment(now, file, line) : undefined);
        },
      }),
    ),
    h(
      Section,
      { title: t`Your verdict` },
      now.closed === null ? h(Verdict, { of, facts: now, onDone: sent }) : el("p", now.closed),
    ),
    h(Answer, { done: done.value }),
  );
}

const begin = (what: string, { repository, id, submission }: ReviewFacts): string =>
  `${what}:${repository}:${id}:${submission}:`;

function comment(facts: ReviewFacts, file: string, line: number): Signal<string> {
  return draft(`${begin("comment", facts)}${file}:${line}`);
}

/** A listed place, the Reviewer's answer to it, and the person's own. */
function Places({ facts }: { facts: ReviewFacts }): JSX.Element {
  return el(
    "ul.plain",
    facts.places.map(({ id, words, answer }) => {
      const own = draft(`${begin("place", facts)}${id}`);
      return el(
        "li.place",
        el("div", el("strong", id), ` ${words}`),
        h(
          "div",
          { class: answer ? "dim" : "warn" },
          answer ? t`the Reviewer's answer: ${answer}` : t`nobody has answered it`,
        ),
        facts.closed === null
          ? h("input", {
              type: "text",
              "aria-label": t`Why ${id} may stay`,
              placeholder: t`Why it may stay`,
              ...bound(own),
            })
          : null,
      );
    }),
  );
}

function Verdict({
  of,
  facts,
  onDone,
}: {
  of: Of;
  facts: ReviewFacts;
  onDone(done: Done): void;
}): JSX.Element {
  const note = draft(begin("note", facts));
  const busy = useSignal(false);
  const places = facts.places.map((one) => ({
    ...one,
    own: draft(`${begin("place", facts)}${one.id}`).value.trim(),
  }));
  const open = places.filter(({ answer, own }) => answer === null && own === "").map(({ id }) => id);
  const given = async (wish: Parameters<typeof act>[1]): Promise<void> => {
    busy.value = true;
    const done = await act(of, wish);
    busy.value = false;
    if (done.ok) for (const name of allDrafts(facts)) draft(name).value = "";
    onDone(done);
  };
  const approve = (): void => {
    const answers = places.filter(({ own }) => own !== "").map(({ id, own }) => `${id}: ${own}`);
    void given({ do: "approve", text: [note.value.trim(), ...answers].filter(Boolean).join("\n\n") });
  };
  const request = (): void => {
    const texts = [note.value, ...comments(facts)].map((text) => text.trim()).filter(Boolean);
    if (texts.length === 0)
      onDone({ ok: false, text: t`What has to change? Write it here, or at a line of the diff.`, hint: "" });
    else void given({ do: "request_changes", texts });
  };
  return el(
    "div",
    h("textarea", {
      rows: 3,
      id: "verdict",
      "aria-label": t`About the whole submission`,
      placeholder: t`About the whole submission`,
      ...bound(note),
    }),
    el(
      "div.bar",
      h(
        "button",
        { class: "main", "data-act": "approve", disabled: busy.value || open.length > 0, onClick: approve },
        t`Approve`,
      ),
      h(
        "button",
        { "data-act": "request_changes", disabled: busy.value, onClick: request },
        t`Request changes`,
      ),
      open.length > 0 ? el("span.warn", t`answer ${open.join(", ")} first, above`) : null,
    ),
  );
}

function allDrafts(facts: ReviewFacts): string[] {
  return ["comment", "place", "note"].flatMap((what) => draftsOf(begin(what, facts)));
}

/** The comments at lines, as a person writes them at the terminal: `src/a.ts:12: text`. */
function comments(facts: ReviewFacts): string[] {
  const start = begin("comment", facts);
  return draftsOf(start).map((name) => `${name.slice(start.length)}: ${draft(name).value}`);
}
