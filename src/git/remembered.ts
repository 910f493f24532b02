/** Answers that never change, since they are about commits and trees by their hashes: the last ones are asked of git once. */
import { Recent } from "../core/text/recent.ts";

const answers = new Recent<{ answer: unknown }>(10_000);

/** What `ask` answers about what these hashes name; asked each time where one of them is a name that can move, and kept where it is an answer. */
export async function remembered<T>(
  question: string,
  hashes: readonly (string | undefined)[],
  ask: () => Promise<T>,
): Promise<T> {
  if (!hashes.every((hash) => hash !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash)))
    return ask();
  const key = `${question} ${hashes.join(" ")}`;
  const known = answers.get(key);
  if (known) return known.answer as T;
  const answer = await ask();
  const size = 1 + (Array.isArray(answer) ? answer.length : 0);
  if (answer !== undefined && size <= 1_000) answers.set(key, { answer }, size);
  return answer;
}
