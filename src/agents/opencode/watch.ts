/** Watches the events of OpenCode's server during one session: selects those to pass on, and notices a silent model. */
import { z } from "zod";

export type Watch = {
  /** The session's path on the server. */
  path: string;
  /** Reports a prompt to the model: from now on an answer is expected. */
  asked(): void;
  /** Resolves when the first prompt was taken, or could not be. */
  begun: Promise<void>;
  busy(): boolean;
};

export type Watched = {
  events: AsyncIterable<unknown>;
  sessionID: string;
  /** The windows of the models, by `provider/model`. */
  windows: ReadonlyMap<string, number>;
  silenceMs: number;
  say(type: string, properties?: object): void;
  fail(error: unknown): void;
};

const looseText = z.string().optional().catch(undefined);
const eventSchema = z.object({
  type: z.string(),
  properties: z.looseObject({
    sessionID: looseText,
    info: z
      .looseObject({ id: z.string(), role: looseText, providerID: looseText, modelID: looseText })
      .optional()
      .catch(undefined),
    part: z
      .looseObject({
        type: looseText,
        id: z.string(),
        tool: looseText,
        time: z.looseObject({ end: z.number().optional() }).optional().catch(undefined),
        state: z
          .looseObject({ status: looseText, metadata: z.unknown().optional() })
          .optional()
          .catch(undefined),
      })
      .optional()
      .catch(undefined),
    status: z.looseObject({ type: looseText }).optional().catch(undefined),
  }),
});
type Event = z.infer<typeof eventSchema>;
type Part = NonNullable<Event["properties"]["part"]>;

/** The shortest time between signs of life in the middle of a long answer. */
const aliveMs = 30_000;

/** Begins at once; calls `fail` when the events end, or when the model is silent for too long. */
export function watchEvents({ events, sessionID, windows, silenceMs, say, fail }: Watched): Watch {
  let busy = false;
  const silence = listenForSilence();
  let lastAliveMs = 0;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  /** Running tools, by their parts. */
  const running = new Map<string, string | undefined>();
  /** Whether a tool runs, which may take its time. A `task` does not count: a subagent's model is behind it. */
  const isWorking = (): boolean => [...running.values()].some((tool) => tool !== "task");
  const answers = new Set<string>();

  const take = ({ type, properties }: Event): void => {
    const { info, part, status } = properties;
    const retries = type === "session.status" && status?.type === "retry";
    if (retries) silence.retried();
    if (part || type === "message.part.delta") silence.spoke();
    if (type === "message.part.delta" && Date.now() - lastAliveMs >= aliveMs) {
      lastAliveMs = Date.now();
      say("monoco.alive");
    } else if (type === "message.updated" && info?.role === "assistant" && !answers.has(info.id)) {
      answers.add(info.id);
      if (properties.sessionID === sessionID) window(info);
      say(type, properties);
    } else if (type === "message.part.updated" && part) {
      if (isTold(part, running)) {
        silence.saidWhole();
        say(type, { part: withoutDetails(part) });
      }
      if (part.state?.status === "running") running.set(part.id, part.tool);
      else running.delete(part.id);
    } else if (toldTypes.has(type) || retries) {
      say(type, properties);
    }
    if (properties.sessionID !== sessionID) return;
    if (type === "session.idle") busy = false;
    if (type === "session.idle" || type === "session.status") begin();
  };
  const window = ({ providerID, modelID }: NonNullable<Event["properties"]["info"]>): void => {
    const windowTokens = windows.get(`${providerID}/${modelID}`);
    if (windowTokens !== undefined) say("monoco.window", { windowTokens });
  };

  void (async () => {
    for await (const value of events) {
      const event = eventSchema.safeParse(value);
      if (event.success) take(event.data);
    }
    throw new Error("opencode says nothing more");
  })().catch(fail);
  setInterval(() => {
    const silentMs = silence.ms();
    if (!busy || isWorking() || silentMs < silenceMs) return;
    fail(new Error(`the model has said nothing for ${Math.round(silentMs / 1000)} s`));
  }, 1_000).unref();

  return {
    path: `/session/${sessionID}`,
    asked: () => {
      busy = true;
      silence.asked();
    },
    begun,
    busy: () => busy,
  };
}

type Silence = Record<"asked" | "spoke" | "saidWhole" | "retried", () => void> & { ms(): number };

/** Measures the model's silence. OpenCode retries a stalled stream, and the new one begins well, so attempts add up until a part is complete. */
function listenForSilence(): Silence {
  let lastSignMs = Date.now();
  /** The silence of earlier attempts. */
  let beforeMs = 0;
  /** The current attempt has said something. */
  let spoken = false;
  return {
    asked: () => {
      [beforeMs, spoken, lastSignMs] = [0, false, Date.now()];
    },
    spoke: () => {
      [spoken, lastSignMs] = [true, Date.now()];
    },
    saidWhole: () => {
      beforeMs = 0;
    },
    retried: () => {
      if (spoken) [beforeMs, spoken, lastSignMs] = [beforeMs + Date.now() - lastSignMs, false, Date.now()];
    },
    ms: () => beforeMs + Date.now() - lastSignMs,
  };
}

const toldTypes = new Set(["session.error", "session.idle", "session.compacted", "permission.asked"]);

/** Whether to pass a part on: a complete text, a tool's beginning and its end. A tool has an event for each line of output. */
function isTold(part: Part, running: ReadonlyMap<string, unknown>): boolean {
  if (part.type === "text") return part.time?.end !== undefined;
  if (part.type === "step-finish") return true;
  if (part.type !== "tool" || part.state?.status === "pending") return false;
  return part.state?.status !== "running" || !running.has(part.id);
}

/** Removes a tool's metadata except a command's exit status: the rest repeats its input and output. */
function withoutDetails(part: Part): object {
  if (!part.state) return part;
  const exit = z.object({ exit: z.number().nullable() }).safeParse(part.state.metadata);
  return { ...part, state: { ...part.state, metadata: exit.success ? exit.data : {} } };
}
