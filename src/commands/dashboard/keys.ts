/** The dashboard's keys: the key in a printed address opens one tab. After that, the address in the browser's history opens nothing. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export type Keys = {
  /** The key of the next tab. */
  next(): string;
  /** Whether the key may ask for this path. */
  fits(given: string, path: string): boolean;
  /** Spends the next tab's key; the tab gets the token, which asks for everything else. */
  token(): string;
};

/** The path at which a tab gets the token for its key. */
export const tokenPath = "/api/do/enter";

export function newKeys(): Keys {
  const token = newKey();
  let next = newKey();
  return {
    next: () => next,
    fits: (given, path) => isSame(given, path === tokenPath ? next : token),
    token: () => {
      next = newKey();
      return token;
    },
  };
}

const newKey = (): string => randomBytes(32).toString("base64url");

/** Compares in constant time. */
function isSame(given: string, own: string): boolean {
  const [one, other] = [given, own].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}
