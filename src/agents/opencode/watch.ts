/** What happens in OpenCode's server during one session: what of it is passed on, and whether the model is still there. */
import { z } from "zod";

export type Watch = {
  /** The session's place in the server. */
  path: string;
  /** The model has been asked: an answer is waited for from now on. */
  asked(): void;
  /** The first prompt was taken, or could not be. */
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

/** A sign of life in the middle of a long answer. */
const aliveMs = 30_000;

/** Begins at once; `fail` is told where the events end, or where the model says nothing for too long. */
export function watchEvents({ events, sessionID, windows, silenceMs, say, fail }: Watched): Watch {
  let busy = false;
  const silence = listenForSilence();
  let lastAliveMs = 0;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  /** Tools that run now, by their parts. */
  const running = new Map<string, string | undefined>();
  /** They may take their time; but behind a subagent there is a model again. */
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

/** How long the model says nothing: a stream that stalls is asked for anew, and begins well, so that attempts add up until something whole is said. */
function listenForSilence(): Silence {
  let lastSignMs = Date.now();
  /** Before the attempt under way. */
  let beforeMs = 0;
  /** The attempt under way has said something. */
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

/** A text when it is whole, a tool when it begins and when it has ended: it is told with each line of its output. */
function isTold(part: Part, running: ReadonlyMap<string, unknown>): boolean {
  if (part.type === "text") return part.time?.end !== undefined;
  if (part.type === "step-finish") return true;
  if (part.type !== "tool" || part.state?.status === "pending") return false;
  return part.state?.status !== "running" || !running.has(part.id);
}

/** What a tool tells of itself repeats what it was asked and what it answered, but for a command's exit status. */
function withoutDetails(part: Part): object {
  if (!part.state) return part;
  const exit = z.object({ exit: z.number().nullable() }).safeParse(part.state.metadata);
  return { ...part, state: { ...part.state, metadata: exit.success ? exit.data : {} } };
}
