/** A part whose code is loaded when it is opened. */
import { h } from "preact";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { t } from "../core/language/translate.ts";
import { el } from "../views/page/el.ts";

/** Inside of a `details`, loads once that is open. */
export function Late({ load }: { load(): Promise<JSX.Element> }): JSX.Element {
  const shown = useSignal<JSX.Element | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const around = box.current?.closest("details");
    const begin = (): void => {
      if (shown.value || (around && !around.open)) return;
      void load().then(
        (part) => (shown.value = part),
        (error: unknown) => (shown.value = el("p.bad", String(error))),
      );
    };
    begin();
    around?.addEventListener("toggle", begin);
    return () => around?.removeEventListener("toggle", begin);
  }, []);
  return h("div", { ref: box }, shown.value ?? el("p.dim", t`Looking …`));
}
