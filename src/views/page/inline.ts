/** A line of Markdown as elements of a page: code and bold text. */

/** An element with what is in it. No element takes an address or runs anything. */
export type Block = { tag: Tag; of: (Block | string)[] };
type Tag = "p" | "h3" | "ul" | "ol" | "li" | "pre" | "blockquote" | "hr" | "code" | "strong";

/** A box of a list as a character, code spans and bold text. The pattern has no alternative way to match the same text. */
export function inLine(text: string): (Block | string)[] {
  return text
    .replace(/^\[( |x|X)\] /, (_, mark: string) => (mark === " " ? "☐ " : "☑ "))
    .split(/(`[^`\n]{1,400}`|\*\*[^*\n]{1,400}\*\*)/)
    .filter((part) => part !== "")
    .map((part) => {
      if (part.length > 2 && part.startsWith("`")) return { tag: "code", of: [part.slice(1, -1)] };
      if (part.length > 4 && part.startsWith("**")) return { tag: "strong", of: [part.slice(2, -2)] };
      return part;
    });
}
