/** Bounds how many runs use the machine at the same time: one core stays free for the session, and for the person. */

export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Allows one work less than there are cores at once, and at least one, in order of arrival. */
export function slots(cores: number): Slots {
  let open = Math.max(1, cores - 1);
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (open > 0) open -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else open += 1;
    }
  };
}
