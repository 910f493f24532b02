/** Reads what a run asks of a person. */

/** The issues whose work a run's hint asks a person to look at and approve: the Reviewer's evidence said no where it had said yes. */
export function approvalsAsked(said: string): string[] {
  return [
    ...said.matchAll(/could not verify criterion [^]*?\bmonoco issue review (\S+) --show, then --approve/g),
  ].map(([, issue = ""]) => issue);
}
