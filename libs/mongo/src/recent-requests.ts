import type { Document } from 'mongodb';
import { maxRecentRequests } from '@daycare/api';

/** Returns the value for a `$push` that adds a request to an array and drops the oldest beyond the limit. */
export function pushRequest<T>(request: T): { $each: T[]; $slice: number } {
  return { $each: [request], $slice: -maxRecentRequests };
}

/** Like `pushRequest`, but returns an expression for updates that are pipelines; the array may be missing. */
export function appendRequest(field: string, request: unknown): Document {
  const existing = { $ifNull: [`$${field}`, []] };
  return {
    $slice: [{ $concatArrays: [existing, [{ $literal: request }]] }, -maxRecentRequests],
  };
}
