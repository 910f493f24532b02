/** The dashboard in the browser: asks for the token if it has none, shows the page of the address, and takes keys. */
import { h, render } from "preact";
import type { JSX } from "preact";
import { useSignal } from "@preact/signals";
import { speakTo, t } from "../core/language/translate.ts";
import type { Catalogue } from "../core/language/translate.ts";
import { bound } from "./drafts.ts";
import { enter, get, token, trouble, useKey } from "./client.ts";
import { place } from "./address.ts";
import { InboxPage } from "./inbox-page.ts";
import { onKey, help } from "./keys.ts";
import { RelayPage } from "./relay-page.ts";
import { ReviewPage } from "./review-page.ts";
import { el } from "../views/page/el.ts";

/** A deep link has no key: the person gives the address that monoco printed. */
function Prompt(): JSX.Element {
  const text = useSignal("");
  const isSpent = useSignal(false);
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    // The words of the person's language come with the token.
    if (await useKey(text.value)) location.reload();
    else isSpent.value = true;
  };
  const words = { "aria-label": t`Address or key`, placeholder: "http://127.0.0.1:…/#…" };
  return el(
    "main.prompt",
    el("h1", t`monoco needs its key`),
    el(
      "p",
      t`The terminal in which monoco dashboard runs shows an address for each tab. Open the last one, or paste it here.`,
    ),
    h(
      "form",
      { onSubmit: open },
      h("input", { type: "text", autofocus: true, autocomplete: "off", ...words, ...bound(text) }),
      el("div.bar", el("button.main", t`Open`)),
    ),
    h(
      "p",
      { class: "bad", role: "status" },
      isSpent.value && t`It was used before, or is wrong: the terminal shows the one that works.`,
    ),
    el("p.dim", t`No dashboard runs? This begins one:`),
    el("pre", "monoco dashboard"),
  );
}

const pages = { relay: RelayPage, review: ReviewPage };

function App(): JSX.Element {
  if (token.value === undefined) return h(Prompt, {});
  const at = place.value;
  return h(
    "div",
    { class: trouble.value && "stale" },
    el(
      "header.top",
      el("strong", "monoco"),
      h(
        "nav",
        { "aria-label": t`Pages` },
        h("a", { href: "/" }, t`Inbox`),
        at.page !== "inbox" && el("span", at.id),
      ),
      h("span", { class: "bad", role: "status" }, trouble.value),
    ),
    at.page === "inbox" ? h(InboxPage, {}) : h(pages[at.page], { key: `${at.repository} ${at.id}`, ...at }),
    h(Help, {}),
  );
}

function Help(): JSX.Element | null {
  if (!help.value) return null;
  const rows: [string, string][] = [
    ["j k", t`next and previous item`],
    ["Enter", t`open it`],
    ["a s v x r", t`answer, say, review, stop with a handoff, resume`],
    ["1 2 3 4", t`needs you, working, waiting, done`],
    ["/", t`filter`],
    ["i", t`the inbox`],
    ["?", t`this list`],
  ];
  return h(
    "dialog",
    {
      ref: (box: HTMLDialogElement | null) => box && !box.open && box.showModal(),
      onClose: () => (help.value = false),
      "aria-label": t`Keys`,
    },
    el(
      "dl.counts",
      rows.map(([key, about]) => [el("dt", el("kbd", key)), el("dd", about)]),
    ),
    h("form", { method: "dialog" }, el("button", t`Close`)),
  );
}

async function begin(): Promise<void> {
  let catalogue: Catalogue | undefined;
  const ahead = (ms: number): number => -new Date(ms).getTimezoneOffset();
  speakTo({ catalogue: () => catalogue, minutesAhead: ahead });
  await enter();
  if (token.value !== undefined && document.documentElement.lang !== "en")
    catalogue = (await get<Catalogue | null>("/api/words").catch(() => null)) ?? undefined;
  addEventListener("keydown", onKey);
  render(h(App, {}), document.getElementById("app")!);
}

void begin();
