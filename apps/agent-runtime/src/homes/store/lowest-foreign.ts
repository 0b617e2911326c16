import type { Document } from 'mongodb';
import type { Trust } from '@daycare/api';

/** An update expression for the lower of the stored `trust` and this one; both are of foreign turns. */
export function lowestForeign(trust: Trust): Document {
  return { $cond: [{ $eq: ['$trust', 'outside'] }, 'outside', trust] };
}
