/** Answers that never change, since they are about commits and trees by their hashes: the last ones are asked of git once. */

const answers = new Map<string, unknown>();
const answersMax = 32;

/** What `ask` answers about what these hashes name; asked each time where one of them is a name that can move, and kept where it is an answer. */
export async function remembered<T>(
  question: string,
  hashes: readonly (string | undefined)[],
  ask: () => Promise<T>,
): Promise<T> {
  if (!hashes.every((hash) => hash !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash)))
    return ask();
  const key = `${question} ${hashes.join(" ")}`;
  if (answers.has(key)) return answers.get(key) as T;
  const answer = await ask();
  const isLong = Array.isArray(answer) && answer.length > 1_000;
  if (answer === undefined || isLong) return answer;
  if (answers.size >= answersMax) answers.delete(answers.keys().next().value!);
  answers.set(key, answer);
  return answer;
}
