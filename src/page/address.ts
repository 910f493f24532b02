/** The addresses of the pages: `/`, `/i/FEAT-0019` and `/i/FEAT-0019/review`, with the repository if it is not the only one. */
import { signal } from "@preact/signals";

export type Place = { page: "inbox" } | { page: "relay" | "review"; id: string; repository: string };

export const place = signal<Place>(read());

function read(): Place {
  const [, i, id, what] = location.pathname.split("/");
  if (i !== "i" || !id) return { page: "inbox" };
  const repository = new URLSearchParams(location.search).get("in") ?? "";
  return { page: what === "review" ? "review" : "relay", id: decodeURIComponent(id), repository };
}

export function hrefOf({ id, repository }: { id: string; repository: string }, what = ""): string {
  return `/i/${encodeURIComponent(id)}${what && `/${what}`}${repository && `?in=${encodeURIComponent(repository)}`}`;
}

export function go(href: string): void {
  history.pushState(null, "", href);
  place.value = read();
  scrollTo(0, 0);
}

addEventListener("popstate", () => (place.value = read()));
addEventListener("click", (event) => {
  const { target, ctrlKey, metaKey, shiftKey, button } = event;
  const link = target instanceof Element ? target.closest("a") : null;
  if (link?.origin !== location.origin || ctrlKey || metaKey || shiftKey || button !== 0) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
