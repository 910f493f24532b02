/** The keys, the same as in `monoco watch`. None is taken while a person writes. */
import { signal } from "@preact/signals";

export const help = signal(false);

const actOf: Readonly<Record<string, string>> = {
  a: "answer",
  s: "say",
  v: "review",
  x: "stop",
  r: "resume",
};
const groupOf: Readonly<Record<string, string>> = { 1: "needs_you", 2: "working", 3: "waiting", 4: "done" };

export function onKey(event: KeyboardEvent, { go }: { go(href: string): void; filter: unknown }): void {
  const { target, key } = event;
  const isWriting = target instanceof HTMLElement && target.matches("input,textarea");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isWriting) {
    if (key === "Escape") target.blur();
    return;
  }
  const taken = take(key, go);
  if (taken) event.preventDefault();
}

function take(key: string, go: (href: string) => void): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".row")].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const focus = (row: HTMLElement | undefined): boolean => {
    row?.querySelector<HTMLElement>("[data-open]")?.focus();
    return row !== undefined;
  };
  if (key === "?") return (help.value = !help.value) || true;
  if (key === "i") return (go("/"), true);
  if (key === "j") return focus(rows[at + 1]);
  if (key === "k") return focus(rows[at - 1]);
  if (key === "/") {
    const filter = document.getElementById("filter");
    filter?.focus();
    return filter !== null;
  }
  const group = groupOf[key] && document.querySelector(`[data-group=${groupOf[key]}]`);
  if (group) {
    if (group instanceof HTMLDetailsElement) group.open = true;
    group.scrollIntoView();
    return focus(group.querySelector<HTMLElement>(".row") ?? undefined) || true;
  }
  const within: ParentNode = rows[at] ?? (rows.length === 0 ? document : rows[0]!);
  const button = actOf[key] && within.querySelector<HTMLElement>(`[data-act=${actOf[key]}]`);
  if (!button) return false;
  button.click();
  return true;
}
