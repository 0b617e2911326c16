import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import type { PeerAccess } from '@daycare/service-kit';
import type { UserProfile } from '../agents';

type ProfileOf = (userId: string) => Promise<UserProfile | undefined>;

const maxProfiles = 10_000;
/** A profile that is older is read again; until the new one has arrived, the old one is used. */
const refreshAfterMs = 60_000;

/**
 * The profile of a user from identity; undefined when identity does not answer, so that a turn can go on
 * without it.
 */
export function makeProfileOf({
  identity,
  credential,
}: Pick<PeerAccess, 'identity' | 'credential'>): ProfileOf {
  const known = new LRUCache<string, UserProfile>({
    ...limitEntries(maxProfiles),
    ttl: refreshAfterMs,
    allowStale: true,
    allowStaleOnFetchRejection: true,
    fetchMethod: async (userId) => readProfile(userId),
  });
  return (userId) => known.fetch(userId).catch(() => undefined);

  async function readProfile(userId: string): Promise<UserProfile | undefined> {
    const metadataFor = credential.metadata('identity');
    const { user } = await identity.getUser({ userId }, { metadataFor });
    if (!user) return undefined;
    const { name, nametag, parentUserId } = user;
    const usesOwnerZone = user.timeZone === '' && parentUserId !== '';
    const timeZone = usesOwnerZone ? (await known.fetch(parentUserId))?.timeZone : user.timeZone;
    return { name, nametag, timeZone: timeZone ?? '' };
  }
}

/**
 * The current time zone of a user, or else of its owner; empty when neither has one. Fails when identity
 * does not answer.
 */
export function makeTimeZoneOf({
  identity,
  credential,
}: Pick<PeerAccess, 'identity' | 'credential'>): (userId: string) => Promise<string> {
  return async function timeZoneOf(userId): Promise<string> {
    const metadataFor = credential.metadata('identity');
    const { user } = await identity.getUser({ userId }, { metadataFor });
    if (!user) return '';
    const { timeZone, parentUserId } = user;
    return timeZone === '' && parentUserId !== '' ? timeZoneOf(parentUserId) : timeZone;
  };
}
