/** Parts whose code or content is made when a person opens them. */
import { h } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

/** What `load` comes to; it is called once. */
export function Late({ load }: { load(): Promise<JSX.Element> }): JSX.Element {
  const shown = useSignal<JSX.Element>(el("p.dim", t`Looking …`));
  useEffect(() => {
    void load()
      .catch((error: unknown) => el("p.bad", String(error)))
      .then((part) => (shown.value = part));
  }, []);
  return shown.value;
}

type FoldedOf = {
  summary: ComponentChildren;
  name?: string;
  open?: boolean;
  show(): ComponentChildren;
};

/** `show` makes the content while it is open. */
export function Folded({ summary, name = "", open = false, show }: FoldedOf): JSX.Element {
  const isOpen = useSignal(open);
  const onToggle = ({ currentTarget }: { currentTarget: HTMLDetailsElement }): void => {
    isOpen.value = currentTarget.open;
  };
  const head = el("summary", summary);
  return h("details", { class: name, open: isOpen.value, onToggle }, head, isOpen.value && show());
}
