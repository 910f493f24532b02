/** Parts that several pages have: a command to copy, the answer of monoco, and what a person says. */
import { h } from "preact";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { Act, Done } from "../views/page/facts.ts";
import { act } from "./client.ts";
import type { Of, Wish } from "./client.ts";
import { bound, draft } from "./drafts.ts";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

/** The command that does the same at a terminal. */
export function Command({ command }: { command: string }): JSX.Element | null {
  const copied = useSignal(false);
  if (command === "") return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command);
    copied.value = true;
    setTimeout(() => (copied.value = false), 1_500);
  };
  const name = copied.value ? t`copied` : t`copy`;
  return el(
    "div.copy",
    el("code", command),
    h("button", { class: "small", onClick: copy, "aria-label": t`Copy ${command}` }, name),
  );
}

/** What a person does, one at a time: `give` resolves to whether it was done, and `done` is what monoco said. */
export function useAct(of: Of): {
  busy: Signal<boolean>;
  done: Signal<Done | undefined>;
  give(wish: Wish): Promise<boolean>;
} {
  const busy = useSignal(false);
  const done = useSignal<Done | undefined>(undefined);
  const give = async (wish: Wish): Promise<boolean> => {
    if (busy.value) return false;
    busy.value = true;
    done.value = await act(of, wish);
    busy.value = false;
    return done.value.ok;
  };
  return { busy, done, give };
}

/** What monoco said to an action. */
export function Answer({ done }: { done: Done | undefined }): JSX.Element {
  const text = done && [done.text, done.hint].filter(Boolean).join("\n");
  return h("div", { role: "status" }, done && h("div", { class: `note ${done.ok ? "good" : "bad"}` }, text));
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

type Said = "answer" | "say";

/** A text for a relay, kept until it is sent. */
function SayForm(of: {
  id: string;
  what: Said;
  text: Signal<string>;
  busy: boolean;
  send(): void;
}): JSX.Element {
  const { id, what, text, busy, send } = of;
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const onSubmit = (event: Event): void => (event.preventDefault(), send());
  const onKeyDown = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
    if (key === "Enter" && (ctrlKey || metaKey)) send();
  };
  return h(
    "form",
    { onSubmit },
    h("textarea", { rows: 3, ref: box, "aria-label": `${labelOf(what)}: ${id}`, ...bound(text), onKeyDown }),
    el(
      "div.bar",
      h("button", { class: "main", disabled: busy }, t`Send`),
      el("span.dim", t`Ctrl+Enter sends`),
    ),
  );
}

/** The buttons of an item. `answer` and `say` open a form; `review` leads to its page. */
export function Acts({ of, acts, href }: { of: Of; acts: readonly Act[]; href: string }): JSX.Element | null {
  const open = useSignal<Said | undefined>(undefined);
  const { busy, done, give } = useAct(of);
  if (acts.length === 0 && !done.value) return null;
  const what = open.value;
  const text = draft(`${what}:${of.repository}:${of.id}`);
  const send = async (): Promise<void> => {
    if (!what || text.value.trim() === "" || !(await give({ do: what, text: text.value }))) return;
    text.value = "";
    open.value = undefined;
  };
  const button = (act: Act): JSX.Element => {
    if (act === "review") return h("a", { class: "button", href, "data-act": act }, labelOf(act));
    const onClick = (): void => {
      if (act !== "answer" && act !== "say") void give({ do: act });
      else open.value = open.value === act ? undefined : act;
    };
    return h("button", { "data-act": act, disabled: busy.value, onClick }, labelOf(act));
  };
  return el(
    "div",
    el("div.bar", acts.map(button)),
    what && h(SayForm, { key: what, id: of.id, what, text, busy: busy.value, send: () => void send() }),
    h(Answer, { done: done.value }),
  );
}
