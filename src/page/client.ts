/** The page's way to its server: every request carries the token in a header, and streams are read by fetch for the same reason. */
import { signal } from "@preact/signals";
import { t } from "../core/language/translate.ts";
import type { Act, Done } from "../views/page/facts.ts";

const key = "monoco-token";

/** Undefined: ask for a key. */
export const token = signal<string | undefined>(sessionStorage.getItem(key) ?? undefined);
/** Why the stream is down; empty while it is up. */
export const trouble = signal("");

/** Takes the key out of the address, and gets the token for it. */
export async function enter(): Promise<void> {
  const { hash, pathname, search } = location;
  if (hash === "") return;
  history.replaceState(null, "", pathname + search);
  await useKey(hash);
}

// A printed address that is opened in a tab of the dashboard changes the fragment only.
addEventListener("hashchange", () => void enter());

/** Takes a printed address, or its key. Resolves to whether it lets this tab in: each does so once. */
export async function useKey(text: string): Promise<boolean> {
  const given = /([\w-]{20,100})\s*$/.exec(text)?.[1];
  if (given === undefined) return false;
  const headers = { authorization: `Bearer ${given}`, "content-type": "application/json" };
  const answer = await fetch("/api/do/enter", { method: "POST", headers }).catch(() => undefined);
  if (!answer?.ok) return false;
  sessionStorage.setItem(key, (token.value = await answer.text()));
  return true;
}

async function ask(
  path: string,
  more: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${token.value ?? ""}`, ...more.headers };
  const answer = await fetch(path, { ...more, headers, cache: "no-store" });
  if (answer.status === 401) {
    sessionStorage.removeItem(key);
    token.value = undefined;
  }
  return answer;
}

export async function get<T>(path: string): Promise<T> {
  const answer = await ask(path);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

/** An issue; without a repository, the only one that knows it is meant. */
export type Of = { repository: string; id: string };

/** The address of something of an issue. */
export function addressOf(what: string, { repository, id }: Of): string {
  return `/api/${what}/${encodeURIComponent(id)}?in=${encodeURIComponent(repository)}`;
}

export type Wish = {
  do: Exclude<Act, "review"> | "approve" | "request_changes";
  text?: string;
  submission?: number;
  comments?: { text: string; file?: string; line?: number }[];
};

export async function act(of: Of, { do: what, ...body }: Wish): Promise<Done> {
  try {
    const answer = await ask(addressOf(`do/${what}`, of), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.ok ? ((await answer.json()) as Done) : { ok: false, text: await answer.text(), hint: "" };
  } catch (error) {
    return { ok: false, text: String(error), hint: "" };
  }
}

export type Event = { event: string; data: unknown };

/**
 * Reads a stream for as long as the page is shown. A tab that is hidden has none, since a browser has six connections for a host;
 * it goes on from the last event that it has seen. Returns how to end it.
 */
export function follow(path: string, onEvent: (event: Event) => void): () => void {
  let lastId = "0";
  let reading: AbortController | undefined;
  let ended = false;
  const read = async (gone: AbortSignal): Promise<void> => {
    // The server says why what it sends is old.
    let fault = "";
    for (let waitMs = 500; !gone.aborted; waitMs = Math.min(waitMs * 2, 10_000)) {
      try {
        const answer = await ask(path, { headers: { "last-event-id": lastId }, signal: gone });
        if (answer.status === 401) return;
        if (answer.status === 404) trouble.value = await answer.text();
        fault = "";
        if (!answer.ok || !answer.body) continue;
        for await (const event of eventsIn(answer.body)) {
          if (event.event === "fault") fault = JSON.parse(event.data) as string;
          trouble.value = fault;
          waitMs = 250;
          if (event.id !== undefined) lastId = event.id;
          onEvent({ event: event.event, data: JSON.parse(event.data) as unknown });
        }
      } catch {
        // A server that went away may come back.
        if (!gone.aborted) trouble.value = t`no connection; trying again`;
      } finally {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  };
  const turn = (): void => {
    reading?.abort();
    reading = undefined;
    if (ended || document.hidden) return;
    reading = new AbortController();
    void read(reading.signal);
  };
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    ended = true;
    document.removeEventListener("visibilitychange", turn);
    turn();
  };
}

type Raw = { id: string | undefined; event: string; data: string };

/** The events of a stream; an event ends with an empty line. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Raw> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const parts = (rest + decoder.decode(piece.value, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const lines = part.split("\n");
      const of = (name: string): string[] =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      if (of("data").length > 0)
        yield { id: of("id")[0], event: of("event")[0] ?? "message", data: of("data").join("\n") };
    }
  }
}
