import { limitOwnerId } from '../domain/agent';
import type { Directory } from './ensure-agent';

/** Returns the user whose limits apply to a user: its owner, or the user itself. Owners never change. */
export type OwnerOf = (userId: string) => Promise<string>;

export function makeOwnerOf(directory: Directory): OwnerOf {
  return async (userId) => {
    const user = await directory.findById(userId);
    return limitOwnerId({ userId, ownerUserId: user?.parentUserId });
  };
}
