import type { Document } from 'mongodb';
import { maxRecentRequests } from '@daycare/api';

/** For `$push`: remembers a request in an array and drops the oldest beyond the limit. */
export function pushRequest<T>(request: T): { $each: T[]; $slice: number } {
  return { $each: [request], $slice: -maxRecentRequests };
}

/** The same as an aggregation expression, for updates that are pipelines; the array may be missing. */
export function appendRequest(field: string, request: unknown): Document {
  const existing = { $ifNull: [`$${field}`, []] };
  return {
    $slice: [{ $concatArrays: [existing, [{ $literal: request }]] }, -maxRecentRequests],
  };
}
