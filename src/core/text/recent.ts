/** What was made of the last texts. With many relays at once each has its own, so it is the size of all that is limited. */
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

  /** The oldest go, where it does not fit beside them. `size`: in characters, unless all that is kept here counts otherwise. */
  set(key: string, made: Made, size = key.length): void {
    this.#delete(key);
    for (const [oldest] of this.#made) if (this.#size + size > this.#sizeMax) this.#delete(oldest);
    this.#made.set(key, { made, size });
    this.#size += size;
  }

  #delete(key: string): void {
    this.#size -= this.#made.get(key)?.size ?? 0;
    this.#made.delete(key);
  }
}
