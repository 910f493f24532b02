/** Statuses by which a vendor's server says that it is busy, or broken: the request was in order. */

/** 408 and 429 as well: who means a used-up limit says so in a field of its own, which is looked at first. */
export function isOutage(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 429 || (status >= 500 && status < 600));
}
