/** How often a property test tries: all its runs in CI, a tenth of them elsewhere. A failure names its seed either way. */

/** At least so many, where there are as many: fewer would hardly ever find anything. */
const runsMin = 20;

/** The runs of a property test that makes `all` of them in CI. */
export function runs(all: number): number {
  return process.env["CI"] ? all : Math.min(all, Math.max(runsMin, Math.round(all / 10)));
}
