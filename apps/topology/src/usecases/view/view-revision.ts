import { createHash } from 'node:crypto';
import type { Facts, TopologyView } from '../../domain/view/topology-view';
import type { Authored } from '../../domain/viewer';

/**
 * Hashes everything the view shows: the first page of every list, and the sources' digests where more pages
 * follow. The viewer itself is not included.
 */
export function revisionOf(
  encoded: Uint8Array,
  view: TopologyView,
  { friends, scope, wiring }: Facts,
): string {
  const digests = [
    hasMorePages(friends) ? friends.digest : '',
    hasMorePages(scope) ? scope.listDigest : '',
    hasMorePages(wiring) ? wiring.digest : '',
  ];
  const rest = JSON.stringify([missingGateways(view), authors(view), digests]);
  return createHash('sha256').update(encoded).update(rest).digest('base64url').slice(0, 22);
}

function hasMorePages<T extends { readonly nextPageToken: string }>(
  page: T | undefined,
): page is T {
  return page !== undefined && page.nextPageToken !== '';
}

/** Returns why gateways are missing, in order. Only the text shows the reasons. */
function missingGateways({ subusers, friends }: TopologyView): readonly string[] {
  const missing: string[] = [];
  for (const { gateway } of subusers?.entries ?? [])
    if (typeof gateway === 'string') missing.push(gateway);
  for (const { sharesOut, sharesIn } of friends?.entries ?? [])
    for (const { gateway } of [...sharesOut, ...sharesIn])
      if (typeof gateway === 'string') missing.push(gateway);
  return missing;
}

/**
 * Returns the authors that the encoded view does not contain. Only the text depends on them, because it hides names
 * that others have chosen.
 */
function authors({ subscriptions, channels, subusers }: TopologyView): readonly string[] {
  const texts: string[] = [];
  const add = (id: string, { writtenBy }: Authored): void => {
    if (writtenBy !== undefined) texts.push(`${id} ${writtenBy}`);
  };
  for (const subscription of subscriptions.entries) add(subscription.id, subscription);
  for (const channel of channels.entries) {
    add(channel.id, channel);
    for (const member of channel.members) add(`${channel.id} ${member.agentId}`, member);
  }
  for (const { id, gateway } of subusers?.entries ?? [])
    if (typeof gateway !== 'string') add(id, gateway);
  return texts;
}
