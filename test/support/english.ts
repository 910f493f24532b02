/** Finds what is left in English on a page in Chinese, by the catalogue. */
import type { Page } from "playwright-core";
import { catalogue } from "../../src/views/zh/catalogue.ts";

/** A whole text that an entry of the catalogue makes; an entry of nothing but values makes any. */
const entries = Object.keys(catalogue)
  .filter((key) => /[A-Za-z]{2}/.test(key.replaceAll(/\{\d+\}/g, "")))
  .map((key) => ({ key, words: key.split(/\{\d+\}/) }))
  // Few letters between values are found in what others wrote, too.
  .filter(({ words }) => words.join("").replaceAll(/[^A-Za-z]/g, "").length > 5 || words.length === 1)
  .map(({ key, words }) => ({
    key,
    pattern: new RegExp(
      `^\\s*${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^]*")}\\s*$`,
    ),
  }));

/** The texts that monoco could have said in Chinese, each with its entry. */
export function englishLeft(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const entry = entries.find(({ pattern }) => pattern.test(text));
    return entry ? [`${text} (${entry.key})`] : [];
  });
}

/** The texts of a page one by one, names for screen readers included; code and Markdown are others' words. */
export async function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    const texts: string[] = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node instanceof Element)
        texts.push(
          ...["aria-label", "placeholder", "title", "data-name"].flatMap(
            (name) => node.getAttribute(name) ?? [],
          ),
        );
      else if (!node.parentElement?.closest("code, pre, kbd, script, style, .prose"))
        texts.push(node.textContent ?? "");
    }
    return texts.map((text) => text.trim()).filter((text) => text !== "");
  });
}
