/** Parts that several pages have: a command to copy, the answer of monoco, and what a person says. */
import { h } from "preact";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Signal } from "@preact/signals";
import type { Act, Done } from "../views/page/facts.ts";
import { act } from "./client.ts";
import type { Of, Wish } from "./client.ts";
import { bound, draft, forgetting } from "./drafts.ts";
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

/** What has a form: `stop` asks first. */
type Formed = "answer" | "say" | "stop";

/** A text for a relay, kept until it is sent. */
function SayForm(of: {
  id: string;
  what: Formed;
  text: Signal<string>;
  busy: boolean;
  send(): void;
}): JSX.Element {
  const { id, what, text, busy, send } = of;
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    const [box, before] = [form.current!, document.activeElement];
    box.querySelector<HTMLElement>("textarea,button")?.focus();
    // A form that closes gives the focus back.
    return () => before instanceof HTMLElement && box.contains(document.activeElement) && before.focus();
  }, []);
  const onSubmit = (event: Event): void => (event.preventDefault(), send());
  const onKeyDown = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
    if (key === "Enter" && (ctrlKey || metaKey)) send();
  };
  return h(
    "form",
    { onSubmit, ref: form },
    what === "stop"
      ? el("span", t`Stop ${id} with a handoff?`)
      : h("textarea", { rows: 3, "aria-label": `${labelOf(what)}: ${id}`, ...bound(text), onKeyDown }),
    el(
      "div.bar",
      h("button", { class: "main", disabled: busy }, what === "stop" ? t`Yes, stop it` : t`Send`),
      what !== "stop" && el("span.dim", t`Ctrl+Enter sends`),
    ),
  );
}

/** The buttons of an item. `answer`, `say` and `stop` open a form; `review` leads to its page. */
export function Acts({ of, acts, href }: { of: Of; acts: readonly Act[]; href: string }): JSX.Element | null {
  const open = useSignal<Formed | undefined>(undefined);
  const { busy, done, give } = useAct(of);
  if (acts.length === 0 && !done.value && !open.value) return null;
  const what = open.value;
  const text = draft(`${what}:${of.repository}:${of.id}`);
  const send = async (): Promise<void> => {
    if (!what || (what !== "stop" && text.value.trim() === "")) return;
    const forget = forgetting([text]);
    if (!(await give({ do: what, text: text.value }))) return;
    forget();
    if (open.value === what && text.value === "") open.value = undefined;
  };
  const button = (act: Act): JSX.Element => {
    if (act === "review") return h("a", { class: "button", href, "data-act": act }, labelOf(act));
    const onClick = (): void => {
      if (act === "resume") void give({ do: act });
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
