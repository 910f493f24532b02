/** A line for people: what it says, and in which tone. */
export type Tone = "plain" | "good" | "bad" | "dim";
export type Line = { tone: Tone; text: string };
