/** The keys; `monoco watch` has the same letters. None is taken while a person writes. */
import { signal } from "@preact/signals";
import { go } from "./address.ts";

export const help = signal(false);

const actOf: Readonly<Record<string, string>> = {
  a: "answer",
  s: "say",
  v: "review",
  x: "stop",
  r: "resume",
};
const groupOf: Readonly<Record<string, string>> = { 1: "needs_you", 2: "working", 3: "waiting", 4: "done" };

export function onKey(event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && actOf[key])) return;
  if (!(target instanceof HTMLElement && target.matches("input,textarea"))) {
    if (take(key)) event.preventDefault();
  } else if (key === "Escape") target.blur();
}

function take(key: string): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".row")].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const focus = (element: HTMLElement | null | undefined): boolean => (element?.focus(), Boolean(element));
  const enter = (row: Element | null | undefined): boolean => focus(row?.querySelector("[data-open]"));
  if (key === "?") return (help.value = !help.value) || true;
  if (help.value) return false;
  if (key === "i") return (go("/"), true);
  if (key === "j") return enter(rows[at + 1]);
  if (key === "k") return enter(rows[at - 1]);
  if (key === "/") return focus(document.getElementById("filter"));
  const group = groupOf[key] && document.querySelector(`[data-group=${groupOf[key]}]`);
  if (group) {
    const show = (): void => {
      group.scrollIntoView();
      enter(document.querySelector(`.row[data-group=${groupOf[key]}]`));
    };
    // What is folded is made when it opens.
    if (!(group instanceof HTMLDetailsElement) || group.open) show();
    else group.addEventListener("toggle", show, { once: true });
    if (group instanceof HTMLDetailsElement) group.open = true;
    return true;
  }
  // Where rows are, the one with the focus is meant.
  const within = rows.length === 0 ? document : rows[at];
  const button = actOf[key] && within?.querySelector<HTMLElement>(`[data-act=${actOf[key]}]`);
  if (!button) return false;
  button.click();
  return true;
}
