import type { Nametag } from './nametag';

/** A person, or an application that a person has fenced off as a subuser. */
export interface User {
  readonly id: string;
  readonly nametag: Nametag;
  readonly name: string;
  readonly createdAt: Date;
}

export const nameLimits = { min: 1, max: 100 };

export const batchLimits = { min: 1, max: 1_000 };
