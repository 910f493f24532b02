/** The terminal of `monoco watch`: the alternate screen, its keys, a line to type in, and the terminal as it was at any end. */
import {
  Input,
  ProcessTerminal,
  TuiAltScreen,
  decodeKittyPrintable,
  matchesKey,
  parseKey,
} from "@earendil-works/pi-tui";
import type { Component } from "@earendil-works/pi-tui";
import { listenFor } from "../../io/io.ts";
import type { Size } from "../../views/watch/screen.ts";

type Screen = {
  /** The lines of the screen; `typing` is the line in which a text is typed. */
  draw(size: Size, typing: string | undefined): string[];
  press(key: string): void;
  /** A text was typed; undefined if the person gave it up. */
  typed(text: string | undefined): void;
};

/** The sequence before a pasted text. */
const paste = "\u001b[200~";
/** At most 25 frames a second. */
const frameMs = 40;

export class Terminal {
  readonly #screen: Screen;
  readonly #terminal = new ProcessTerminal();
  readonly #tui = new TuiAltScreen(this.#terminal, true, undefined, { mouse: false });
  readonly #ends = Promise.withResolvers<"left" | "signal">();
  #typing: Input | undefined;
  #isShown = false;
  #isLent = false;
  /** Whatever had the terminal when the view ended may end later. */
  #isOver = false;
  #drawnMs = 0;
  #drawn: (Size & { lines: string[] }) | undefined;
  #drawing: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Takes the terminal. Resolves when the person leaves, or a signal ends the view; rejects after `fail`. */
  async show(): Promise<"left" | "signal"> {
    const root: Component = {
      capturesViewportInput: true,
      invalidate: () => undefined,
      render: () => this.#frame(),
      handleInput: (data) => this.#take(data),
    };
    this.#tui.setLayoutRoot(root);
    this.#tui.setFocus(root);
    // A crash elsewhere in the process must leave the terminal before its words are printed.
    process.on("uncaughtException", this.fail).on("unhandledRejection", this.fail);
    const end = (): void => this.#ends.resolve("signal");
    // A pager that has the terminal handles Ctrl-C itself.
    const interrupts = listenFor(["SIGINT"], () => {
      if (!this.#isLent) end();
    });
    const ends = listenFor(["SIGTERM", "SIGHUP"], end);
    this.#start();
    try {
      return await this.#ends.promise;
    } finally {
      this.#stop();
      this.#isOver = true;
      interrupts();
      ends();
      process.off("uncaughtException", this.fail).off("unhandledRejection", this.fail);
    }
  }

  get size(): Size {
    return { width: this.#terminal.columns, height: this.#terminal.rows };
  }

  end(): void {
    this.#ends.resolve("left");
  }

  readonly fail = (error: unknown): void => {
    this.#ends.reject(error instanceof Error ? error : new Error(String(error)));
  };

  /** Asks for a new frame, soon. */
  draw(): void {
    if (this.#drawing || !this.#isShown) return;
    const waitMs = Math.max(0, this.#drawnMs + frameMs - performance.now());
    this.#drawing = setTimeout(() => {
      this.#drawing = undefined;
      this.#drawnMs = performance.now();
      this.#drawn = undefined;
      if (this.#isShown) this.#tui.renderNow();
    }, waitMs);
  }

  /** Opens the line to type in. */
  ask(begun: string): void {
    const typing = new Input({ prompt: "> " });
    typing.handleInput(begun);
    typing.focused = true;
    const done = (text: string | undefined): void => {
      this.#typing = undefined;
      this.#screen.typed(text);
    };
    typing.onSubmit = done;
    typing.onEscape = () => done(undefined);
    this.#typing = typing;
    this.draw();
  }

  /** Gives the terminal to a program until it has ended. */
  async lend<T>(program: () => Promise<T>): Promise<T> {
    this.#stop();
    this.#isLent = true;
    try {
      return await program();
    } finally {
      this.#isLent = false;
      this.#start();
    }
  }

  /** Sets the view aside, as ctrl-z does. */
  suspend(): void {
    this.#stop();
    const back = (): void => {
      clearTimeout(unstopped);
      process.off("SIGCONT", back);
      this.#start();
    };
    process.on("SIGCONT", back);
    // Without a shell that could let it go on, the system stops nothing, and no signal comes.
    const unstopped = setTimeout(back, 200);
    process.kill(0, "SIGTSTP");
  }

  #start(): void {
    if (this.#isOver) return;
    this.#isShown = true;
    this.#tui.start();
    this.draw();
  }

  #stop(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#tui.stop({ preserveScreen: true });
  }

  /** The package draws at each key and resize, too: that shows the last frame again, unless the size is another one. */
  #frame(): string[] {
    const { width, height } = this.size;
    if (this.#drawn?.width === width && this.#drawn.height === height) return this.#drawn.lines;
    try {
      const lines = this.#screen.draw({ width, height }, this.#typing?.render(width).join(""));
      this.#drawn = { width, height, lines };
      return lines;
    } catch (error) {
      this.fail(error);
      return [];
    }
  }

  #take(data: string): void {
    try {
      // A pasted text may have several lines; the line to type in would join their words.
      if (this.#typing)
        this.#typing.handleInput(data.startsWith(paste) ? data.replace(/\s*[\r\n]+\s*/g, " ") : data);
      else this.#screen.press(keyOf(data));
    } catch (error) {
      this.fail(error);
    }
    this.draw();
  }
}

/** The key's name; letters and signs as they are typed, whatever keyboard protocol the terminal speaks. */
function keyOf(data: string): string {
  const typed = data.length === 1 ? data : decodeKittyPrintable(data);
  if (typed !== undefined && typed > " " && typed !== "\u007f") return typed;
  // Terminals have four codes for each of these keys, of which `parseKey` knows two.
  return (["home", "end"] as const).find((key) => matchesKey(data, key)) ?? parseKey(data) ?? "";
}
