/** HTTP statuses of a busy or broken vendor's server: the request itself was in order. */

/** 408 and 429 count as well: the adapters first look for a used-up limit, which has a field of its own. */
export function isOutage(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 429 || (status >= 500 && status < 600));
}
