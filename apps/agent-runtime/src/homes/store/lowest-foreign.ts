import type { Document } from 'mongodb';
import type { Trust } from '@daycare/api';

/**
 * Returns an update expression for the lower of this trust, which must be `guest` or `outside`, and the stored `trust`,
 * which may also be `own` or missing.
 */
export function lowestForeign(trust: Trust): Document {
  return { $cond: [{ $eq: ['$trust', 'outside'] }, 'outside', trust] };
}
