import { requestIdReused } from './app-error';

/** A request that changed something, remembered so that a retry is recognised. */
export interface RecentRequest {
  readonly id: string;
}

/** Enough for any client that retries, but few enough to keep the document that stores them small. */
export const maxRecentRequests = 16;

/** Adds a request to the recent ones; drops the oldest beyond the limit. */
export function rememberRequest<T>(recent: readonly T[], next: T, limit = maxRecentRequests): T[] {
  return [...recent, next].slice(-limit);
}

export function findRequest<T extends RecentRequest>(
  recent: readonly T[],
  id: string,
): T | undefined {
  return recent.find((request) => request.id === id);
}

/** Throws if the id was used before. Check for a retry with `findRequest` first. */
export function assertRequestIdUnused(recent: readonly RecentRequest[], id: string): void {
  if (findRequest(recent, id)) throw requestIdReused();
}
