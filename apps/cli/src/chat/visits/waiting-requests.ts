import { TieState } from '@daycare/contracts/social-graph';
import type { Session } from '../../client/session';

const maxShown = 5;

/**
 * Reads the first page of the person's friend requests and describes in one line those that the person can accept.
 * Returns undefined if the page has none or cannot be read, because the chat works without that line.
 */
export async function waitingRequestsText(
  graph: Pick<Session['graph'], 'listFriends'>,
): Promise<string | undefined> {
  try {
    const { requests, nextPageToken } = await graph.listFriends({ pageSize: 100, pageToken: '' });
    const names = requests
      .filter(({ state }) => state === TieState.PENDING_IN)
      .map(({ nametag }) => nametag);
    return describeRequests(names, nextPageToken !== '');
  } catch {
    return undefined;
  }
}

function describeRequests(names: readonly string[], hasMore: boolean): string | undefined {
  const [first] = names;
  if (first === undefined) return undefined;
  const shown = names.slice(0, maxShown).join(', ');
  const rest = names.length > maxShown || hasMore ? ', …' : '';
  const verb = names.length === 1 ? 'wants' : 'want';
  return `${shown}${rest} ${verb} to be friends; accept with "daycare friend add ${first}".`;
}
