/** monoco watch: what needs you and what runs, live and full screen, with a key for each thing to do about it. */
import { MonocoError, exitCodes, wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { joined, byUrgency } from "../../core/overview/overview.ts";
import type { Detail } from "../../core/report/detail.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { openHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { detailOf } from "../../app/live/detail.ts";
import { everywhere } from "../../app/live/everywhere.ts";
import { openFeed } from "../../app/live/feed.ts";
import type { RepositoryView } from "../../app/live/feed.ts";
import { openTail } from "../../app/live/tail.ts";
import { rememberLook } from "../../app/overview/overview-here.ts";
import { currentSession } from "../../app/session-context.ts";
import { io } from "../../io/io.ts";
import type { ScreenLine } from "../../views/watch/line.ts";
import { arrange, begun, isAbout, newModel, press, refused, typed } from "../../views/watch/model.ts";
import type { Effect, Model } from "../../views/watch/model.ts";
import { detailPage, fleetPage, helpPage, reviewPage } from "../../views/watch/pages.ts";
import type { Row } from "../../views/watch/row.ts";
import { pageRows, screenOf } from "../../views/watch/screen.ts";
import type { Size } from "../../views/watch/screen.ts";
import { atTerminal } from "../answer.ts";
import { fleetSaid } from "../fleet/lines.ts";
import { commandWords, runAtTerminal, runHere } from "./act.ts";
import { Terminal } from "./terminal.ts";

/** Clocks count, and a page's output is read, this often, ms. */
const tickMs = 1_000;
/** The result of a key is shown for this long, ms. */
const saidMs = 10_000;

export async function watch(flags: { everywhere: boolean }): Promise<number> {
  if (!atTerminal() || io().env["TERM"] === "dumb")
    throw new MonocoError("input", t`watch needs a terminal`, {
      hint: t`monoco inbox prints the same once, monoco inbox --json for programs`,
    });
  const { heres, said } = flags.everywhere ? await everywhere() : { heres: [await openHere()], said: [] };
  if (heres.length === 0)
    throw new MonocoError("input", t`monoco has run in no repository of this machine yet`, {
      hint: t`monoco run notes the one that it runs in`,
    });
  const view = new Watch(heres, flags.everywhere);
  if (said.length > 0) view.say("dim", said.join(" · "));
  return view.run();
}

/** The page's issue, and what was read about it. */
type PageRead = {
  key: string;
  /** The state that it was read in; undefined if it could not be read, so that it is read again. */
  seq: string | undefined;
  session: number | undefined;
  detail: Detail | undefined;
  tail: ReturnType<typeof openTail>;
};

class Watch {
  readonly #heres: readonly Here[];
  readonly #everywhere: boolean;
  readonly #end = new AbortController();
  #repositories: RepositoryView[] = [];
  #rows: Row[] = [];
  #model: Model = newModel;
  #scrollMax = 0;
  #said: { line: ScreenLine; untilMs: number } | undefined;
  #page: PageRead | undefined;
  readonly #terminal = new Terminal({
    draw: (size, typing) => this.#draw(size, typing),
    press: (key) => this.#press(key),
    typed: (text) => this.#do(typed(this.#model, text, this.#row()?.item.id)),
  });

  constructor(heres: readonly Here[], isEverywhere: boolean) {
    this.#heres = heres;
    this.#everywhere = isEverywhere;
  }

  say(tone: "dim" | "bad" | "plain", text: string): void {
    this.#said = { line: [[tone, plainLine(text, 400)]], untilMs: performance.now() + saidMs };
  }

  async run(): Promise<number> {
    const { signal } = this.#end;
    const feed = openFeed(this.#heres, { signal });
    // A repository that cannot be read is refused before the screen is taken.
    const first = await feed.next();
    if (first.value) this.#take(first.value.repositories);
    const ticking = setInterval(() => {
      this.#look().catch(this.#terminal.fail);
      this.#terminal.draw();
    }, tickMs);
    const follow = async (): Promise<void> => {
      for await (const { repositories } of feed) {
        this.#take(repositories);
        await this.#look();
        this.#terminal.draw();
      }
    };
    const followed = follow().catch(this.#terminal.fail);
    try {
      return (await this.#terminal.show()) === "signal" ? exitCodes.interrupted : 0;
    } finally {
      clearInterval(ticking);
      this.#end.abort();
      await followed;
      if (!currentSession())
        for (const { here, overview } of this.#repositories) rememberLook(here, overview.atMs);
    }
  }

  #take(repositories: RepositoryView[]): void {
    this.#repositories = repositories;
    this.#rows = repositories
      .flatMap(({ root, name, overview }) =>
        overview.items.map((item): Row => ({ key: `${root} ${item.id}`, root, repository: name, item })),
      )
      .toSorted((one, other) => byUrgency(one.item, other.item));
  }

  /** The result of the last key, for some time; otherwise a repository that cannot be read. */
  #says(): ScreenLine | undefined {
    if (this.#said && this.#said.untilMs > performance.now()) return this.#said.line;
    const fault = this.#repositories.find((one) => one.fault !== undefined);
    return fault && [["bad", plainLine(`${fault.root}: ${fault.fault}`, 400)]];
  }

  #row(): Row | undefined {
    return this.#rows.find(({ key }) => key === this.#model.chosen);
  }

  #repository(row: Row | undefined): RepositoryView | undefined {
    return this.#repositories.find(({ root }) => root === row?.root);
  }

  #draw(size: Size, typing: string | undefined): string[] {
    const nowMs = Date.now();
    const { model, shown } = arrange(this.#model, this.#rows, nowMs);
    this.#model = model;
    const row = this.#row();
    const view = this.#repository(row);
    const fleet = fleetSaid((view ?? this.#repositories[0])?.fleet, nowMs);
    const lines =
      this.#model.page === "fleet" ? fleetPage(fleet, size.width) : this.#lines(row, size.width, nowMs);
    this.#scrollMax = Math.max(0, lines.length - pageRows(size.height));
    return screenOf(
      {
        model,
        overview: joined(this.#repositories.map(({ overview }) => overview)),
        shown,
        row,
        state: row && view?.states.get(row.item.id),
        fleet,
        lines,
        said: this.#says(),
        typing,
        everywhere: this.#everywhere,
        nowMs,
      },
      size,
    );
  }

  #lines(row: Row | undefined, width: number, nowMs: number): ScreenLine[] {
    const { page } = this.#model;
    if (page === "help") return helpPage(width);
    if (page === "list") return [];
    if (!row) return [[["dim", t`it is no longer there`]]];
    const read = this.#read(row);
    const output = read?.tail() ?? [];
    return (page === "review" ? reviewPage : detailPage)({
      item: row.item,
      detail: read?.detail,
      output,
      width,
      nowMs,
    });
  }

  /** What was read about the row's issue. */
  #read(row: Row | undefined): PageRead | undefined {
    return this.#page?.key === row?.key ? this.#page : undefined;
  }

  #press(key: string): void {
    const nowMs = Date.now();
    const { height } = this.#terminal.size;
    this.#said = undefined;
    const row = this.#row();
    const submission = this.#read(row)?.detail?.submission?.submission;
    const page = { rows: pageRows(height), scrollMax: this.#scrollMax, submission };
    this.#do(press(this.#model, key, { nowMs, item: row?.item, ...page }));
  }

  #do([model, effects]: [Model, Effect[]]): void {
    this.#model = model;
    for (const effect of effects) this.#perform(effect).catch(this.#terminal.fail);
    this.#terminal.draw();
  }

  async #perform(effect: Effect): Promise<void> {
    const row = this.#row();
    const { here } = this.#repository(row) ?? {};
    switch (effect.do) {
      case "quit":
        return this.#terminal.end();
      case "suspend":
        return this.#terminal.suspend();
      case "ask":
        return this.#terminal.ask(begun(this.#model));
      case "look":
        return this.#look();
      case "unasked":
        return this.say("dim", t`${row?.item.id ?? ""} asks nothing; s says something to it`);
      case "diff": {
        if (!row || !here) return;
        const failed = await this.#terminal.lend(() => runAtTerminal(here, ["diff", row.item.id]));
        if (failed !== "") this.say("bad", failed);
        return;
      }
      case "run": {
        if (!here) return;
        this.say("dim", commandWords(effect.args));
        this.#terminal.draw();
        const came = await runHere(here, effect.args);
        if (!came.ok && effect.draft) this.#do(refused(this.#model, effect.draft));
        this.say(came.ok ? "plain" : "bad", came.text);
        this.#terminal.draw();
      }
    }
  }

  /** Reads about the page's issue, if its journal has grown or its session has been cut off since. */
  async #look(): Promise<void> {
    const row = this.#row();
    const view = this.#repository(row);
    if (!row || !view || !isAbout(this.#model.page)) return;
    const { id } = row.item;
    const state = view.states.get(id);
    const seq = `${state?.seq} ${row.item.running?.session}`;
    const session = state?.sessions.at(-1)?.session;
    const before = this.#read(row);
    if (before?.seq === seq) return;
    const isFollowed = before && before.session === session;
    const tail = isFollowed ? before.tail : state ? openTail(view.here, id, state) : () => [];
    let read: Pick<PageRead, "seq" | "detail"> = { seq: undefined, detail: before?.detail };
    try {
      read = { seq, detail: state?.opening ? await detailOf(view.here, id) : undefined };
    } catch (error) {
      this.say("bad", wordsOf(error));
    }
    // The person has gone on to another issue meanwhile.
    if (this.#model.chosen === row.key) this.#page = { key: row.key, session, tail, ...read };
    this.#terminal.draw();
  }
}
