/** The name of a folder beside the repository that is shown beside its clones. */
import { z } from "zod";
import { t } from "../language/translate.ts";

/** Names that monoco uses beside a clone: of other clones, and of its own folders. */
const taken = /^(?:[A-Z]+-\d.*|bin|cache|compiled|packages|project|tmp|work)$/;

const partsOf = (text: string): string[] => text.replace(/\/+$/, "").split("/");

export const siblingSchema = z
  .string()
  .refine(
    (text) => {
      const [up, ...parts] = partsOf(text);
      const isBelow = parts.length > 0 && !parts.some((part) => ["", ".", ".."].includes(part));
      return up === ".." && isBelow && !text.includes("\0");
    },
    { error: () => t`expected a folder beside the repository, as ../lib` },
  )
  .refine((text) => !taken.test(partsOf(text)[1] ?? ""), {
    error: () => t`monoco has a folder of this name beside its clones: give yours another name`,
  });
