import type { Agent } from '../../agents';
import {
  type InboxItem,
  type InboxReader,
  isOwnWords,
  mergeLimits,
  nextWork,
  provenanceOf,
} from '../../messaging';

/** Counts the turns that guests and outsiders start, separately for each owner of agents. */
export interface GuestTurns {
  /** Takes a permit; if none is left, returns when to try again. */
  take(ownerUserId: string): Promise<Date | undefined>;
}

export interface AllowedWork {
  readonly items: readonly InboxItem[];
  /** When to try again; present if items of guests have to wait. */
  readonly postponedTo?: Date;
}

export interface AllowedWorkDeps {
  readonly inbox: InboxReader;
  readonly guestTurns: GuestTurns;
  readonly now: () => Date;
}

const crowdedRetryMs = 1_000;

/** When to check again whether there is room for items of guests. */
export function crowdedRetryAt(now: Date): Date {
  return new Date(now.getTime() + crowdedRetryMs);
}

/**
 * The work that the agent may do now. Items of guests wait while guests' turns occupy all places for guests,
 * and once guests have started too many turns in an hour; the user's own items go first. After too many turns a
 * stranger's request does not wait: it is recorded without a turn.
 */
export async function allowedWork(
  next: readonly [InboxItem, ...InboxItem[]],
  agent: Agent,
  { inbox, guestTurns, now }: AllowedWorkDeps,
  mayServeGuests: () => boolean,
): Promise<AllowedWork> {
  const [first] = next;
  if (!startsGuestTurn(first, agent)) return { items: next };
  const isCrowded = !mayServeGuests();
  const postponedTo = isCrowded
    ? crowdedRetryAt(now())
    : await guestTurns.take(agent.ownerUserId ?? agent.userId);
  if (!postponedTo) return { items: next };
  if (!isCrowded && first.kind === 'system_message' && first.fromStranger)
    return { items: [{ ...first, silent: true }] };
  return { items: nextWork(await inbox.nextTrusted(agent, mergeLimits.items)), postponedTo };
}

function startsGuestTurn(item: InboxItem, { ownerUserId }: Agent): boolean {
  if (item.kind !== 'system_message' || item.silent) return false;
  return !isOwnWords(provenanceOf(item, ownerUserId));
}
