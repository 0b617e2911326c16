import type { Agent } from '../../agents';
import {
  type InboxItem,
  type InboxReader,
  isOwnWords,
  mergeLimits,
  nextWork,
  provenanceOf,
} from '../../messaging';

/** Counts the turns that guests and outsiders start, by the owner of the agents. */
export interface GuestTurns {
  /** Returns when there may be another one, if there may be none now. */
  take(ownerUserId: string): Promise<Date | undefined>;
}

export interface AllowedWork {
  readonly items: readonly InboxItem[];
  /** Present when what guests sent has to wait. */
  readonly postponedTo?: Date;
}

export interface AllowedWorkDeps {
  readonly inbox: InboxReader;
  readonly guestTurns: GuestTurns;
  readonly now: () => Date;
}

const crowdedRetryMs = 1_000;

/** When to check again whether there is room for what guests sent. */
export function afterCrowd(now: Date): Date {
  return new Date(now.getTime() + crowdedRetryMs);
}

/**
 * What the agent may do now. While turns for guests have all the room they may have, and once guests have started
 * too many turns, their items wait: a stranger's request is recorded without a turn, and what comes from the user
 * itself goes before them.
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
    ? afterCrowd(now())
    : await guestTurns.take(agent.ownerUserId ?? agent.userId);
  if (!postponedTo) return { items: next };
  if (!isCrowded && first.kind === 'system_message' && first.fromStranger)
    return { items: [{ ...first, silent: true }] };
  return { items: nextWork(await inbox.nextOwn(agent, mergeLimits.items)), postponedTo };
}

function startsGuestTurn(item: InboxItem, { ownerUserId }: Agent): boolean {
  if (item.kind !== 'system_message' || item.silent) return false;
  return !isOwnWords(provenanceOf(item, ownerUserId));
}
