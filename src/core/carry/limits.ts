/** The fixed limits of a push or pull of relays: each with its unit and reason. */

/** The text that is scanned for secrets at once, in characters. */
export const scanCharsMax = 1_000_000;
/** A larger object is not scanned for secrets, in bytes: a person has to look at it. */
export const scanBytesMax = 16_000_000;
/** From this many objects on, a push says that it scans them. */
export const scanTellMin = 5_000;
/** The secrets that one push names: more tell a person nothing new. */
export const secretsNamedMax = 20;
/** How often notes are joined and pushed anew while others push theirs. */
export const notesRoundsMax = 10;
/** Letters of a relay that are taken at once: each is a file here, and an argument of the push that deletes it. */
export const lettersAtOnceMax = 100;
/** Time for a trial push, ms: a diagnosis is waited for. */
export const dryPushMsMax = 20_000;
