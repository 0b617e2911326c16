import { LRUCache } from 'lru-cache';
import { limitEntries } from '@daycare/api';
import { makeCallPeer, type PeerAccess } from '@daycare/service-kit';
import type { UserProfile } from '../agents';

type ProfileOf = (userId: string) => Promise<UserProfile | undefined>;

const maxProfiles = 10_000;
/** A profile older than this is read again; until the new one arrives, the old one is used. */
const refreshAfterMs = 60_000;

/**
 * Reads users' profiles from identity. Returns undefined when a profile is not cached and cannot be read, so that a
 * turn can continue without the profile.
 */
export function makeProfileOf({
  identity,
  credential,
}: Pick<PeerAccess, 'identity' | 'credential'>): ProfileOf {
  const profiles = new LRUCache<string, UserProfile>({
    ...limitEntries(maxProfiles),
    ttl: refreshAfterMs,
    allowStale: true,
    allowStaleOnFetchRejection: true,
    fetchMethod: async (userId) => readProfile(userId),
  });
  return (userId) => profiles.fetch(userId).catch(() => undefined);

  async function readProfile(userId: string): Promise<UserProfile | undefined> {
    const metadataFor = credential.metadata('identity');
    const { user } = await identity.getUser({ userId }, { metadataFor });
    if (!user) return undefined;
    const { name, nametag, parentUserId } = user;
    const usesOwnerZone = user.timeZone === '' && parentUserId !== '';
    const timeZone = usesOwnerZone ? (await profiles.fetch(parentUserId))?.timeZone : user.timeZone;
    return { name, nametag, timeZone: timeZone ?? '' };
  }
}

/**
 * Reads a user's current time zone or, if a subuser has none, its owner's; empty when neither has one. Rejects when
 * identity is unavailable.
 */
export function makeTimeZoneOf({
  identity,
  credential,
}: Pick<PeerAccess, 'identity' | 'credential'>): (userId: string) => Promise<string> {
  const callIdentity = makeCallPeer(credential, 'identity');
  return async function timeZoneOf(userId): Promise<string> {
    const { user } = await callIdentity((options) => identity.getUser({ userId }, options));
    if (!user) return '';
    const { timeZone, parentUserId } = user;
    return timeZone === '' && parentUserId !== '' ? timeZoneOf(parentUserId) : timeZone;
  };
}
