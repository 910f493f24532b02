/** A line for people: its text and its tone. */
export type Tone = "plain" | "good" | "bad" | "dim";
export type Line = { tone: Tone; text: string };
