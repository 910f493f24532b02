/** Parts that several pages have: a command to copy, the answer of monoco, and what a person says. */
import { h } from "preact";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Act, Done } from "../views/page/facts.ts";
import { act } from "./client.ts";
import type { Wish } from "./client.ts";
import { bound, draft } from "./drafts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

type Of = { repository: string; id: string };

/** The command that does the same at a terminal. */
export function Command({ command }: { command: string }): JSX.Element | null {
  const [copied, setCopied] = useState(false);
  if (command === "") return null;
  const copy = (): void => {
    void navigator.clipboard.writeText(command).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  };
  return el(
    "div.copy",
    el("code", command),
    h(
      "button",
      { class: "small", onClick: copy, "aria-label": t`Copy ${command}` },
      copied ? t`copied` : t`copy`,
    ),
  );
}

/** What monoco said to an action. */
export function Answer({ done }: { done: Done | undefined }): JSX.Element {
  const text = done ? [done.text, done.hint].filter(Boolean).join("\n") : "";
  return h(
    "div",
    { role: "status" },
    done ? h("div", { class: `note ${done.ok ? "good" : "bad"}` }, text) : null,
  );
}

export function labelOf(what: Act): string {
  const labels = {
    answer: t`Answer`,
    say: t`Say`,
    review: t`Review`,
    stop: t`Stop with a handoff`,
    resume: t`Resume`,
  };
  return labels[what];
}

/** A text for a relay, kept until it is sent. */
export function SayForm({
  of,
  what,
  onDone,
}: {
  of: Of;
  what: "answer" | "say";
  onDone(done: Done): void;
}): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const text = draft(`${what}:${of.repository}:${of.id}`);
  const busy = useSignal(false);
  const send = async (): Promise<void> => {
    if (text.value.trim() === "" || busy.value) return;
    busy.value = true;
    const done = await act(of, { do: what, text: text.value });
    busy.value = false;
    if (done.ok) text.value = "";
    onDone(done);
  };
  return h(
    "form",
    {
      onSubmit: (event: Event) => {
        event.preventDefault();
        void send();
      },
    },
    h("textarea", {
      rows: 3,
      ref: box,
      "data-say": what,
      "aria-label": `${labelOf(what)}: ${of.id}`,
      ...bound(text),
      onKeyDown: (event: KeyboardEvent) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
      },
    }),
    el(
      "div.bar",
      h("button", { class: "main", disabled: busy.value }, t`Send`),
      el("span.dim", t`Ctrl+Enter sends`),
    ),
  );
}

/** The buttons of an item. `answer` and `say` open a form; `review` leads to its page. */
export function Acts({ of, acts, href }: { of: Of; acts: readonly Act[]; href: string }): JSX.Element | null {
  const open = useSignal<"answer" | "say" | undefined>(undefined);
  const done = useSignal<Done | undefined>(undefined);
  const busy = useSignal(false);
  if (acts.length === 0 && !done.value) return null;
  const wish = async (what: Wish["do"]): Promise<void> => {
    busy.value = true;
    done.value = await act(of, { do: what });
    busy.value = false;
  };
  const press = (what: Act): void => {
    if (what === "answer" || what === "say") open.value = open.value === what ? undefined : what;
    else if (what !== "review") void wish(what);
  };
  return el(
    "div",
    el(
      "div.bar",
      acts.map((what) =>
        what === "review"
          ? h("a", { class: "button", href, "data-act": what }, labelOf(what))
          : h(
              "button",
              { "data-act": what, disabled: busy.value, onClick: () => press(what) },
              labelOf(what),
            ),
      ),
    ),
    open.value
      ? h(SayForm, {
          of,
          what: open.value,
          onDone: (said) => {
            done.value = said;
            if (said.ok) open.value = undefined;
          },
        })
      : null,
    h(Answer, { done: done.value }),
  );
}
