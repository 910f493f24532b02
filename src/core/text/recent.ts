/** What was made of recent texts. Many relays share it, so their total size is limited, not their number. */
export class Recent<Made> {
  readonly #made = new Map<string, { made: Made; size: number }>();
  readonly #sizeMax: number;
  #size = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get(key: string): Made | undefined {
    return this.#made.get(key)?.made;
  }

  /** The oldest go, where it does not fit beside them; what is larger than all may be is not kept. `size`: in characters, unless all that is kept here counts otherwise. */
  set(key: string, made: Made, size = key.length): void {
    this.#delete(key);
    if (size > this.#sizeMax) return;
    for (const oldest of this.#made.keys()) if (this.#size + size > this.#sizeMax) this.#delete(oldest);
    this.#made.set(key, { made, size });
    this.#size += size;
  }

  #delete(key: string): void {
    this.#size -= this.#made.get(key)?.size ?? 0;
    this.#made.delete(key);
  }
}
