import type { Agent } from '../../agents';
import {
  type InboxItem,
  type InboxReader,
  isOwnWords,
  mergeLimits,
  nextWork,
  provenanceOf,
} from '../../messaging';

/** Limits the turns that guests and outsiders start, separately for each owner of agents. */
export interface GuestTurns {
  /** Takes a permit; if none is left, returns when to try again. */
  take(ownerUserId: string): Promise<Date | undefined>;
}

export interface AllowedWork {
  readonly items: readonly InboxItem[];
  /** When to try again; present if items from guests have to wait. */
  readonly postponedTo?: Date;
}

export interface AllowedWorkDeps {
  readonly inbox: InboxReader;
  readonly guestTurns: GuestTurns;
  readonly now: () => Date;
}

const guestSlotRetryMs = 1_000;

/** Returns when to check again whether a slot for a guest's turn is free. */
export function guestSlotRetryAt(now: Date): Date {
  return new Date(now.getTime() + guestSlotRetryMs);
}

/**
 * Returns the work that the agent may do now. Items from guests and outsiders wait while turns that guests and
 * outsiders started occupy all of the owner's slots for these turns, and once there have been too many of these turns
 * in an hour. The user's own items are handled in the meantime. A stranger's request waits for a slot, but after too
 * many turns it is recorded without a turn.
 */
export async function allowedWork(
  next: readonly [InboxItem, ...InboxItem[]],
  agent: Agent,
  { inbox, guestTurns, now }: AllowedWorkDeps,
  tryTakeGuestSlot: () => boolean,
): Promise<AllowedWork> {
  const [first] = next;
  if (!startsGuestTurn(first, agent)) return { items: next };
  const hasNoSlot = !tryTakeGuestSlot();
  const postponedTo = hasNoSlot
    ? guestSlotRetryAt(now())
    : await guestTurns.take(agent.ownerUserId ?? agent.userId);
  if (!postponedTo) return { items: next };
  if (!hasNoSlot && first.kind === 'system_message' && first.fromStranger)
    return { items: [{ ...first, silent: true }] };
  return { items: nextWork(await inbox.nextTrusted(agent, mergeLimits.items)), postponedTo };
}

function startsGuestTurn(item: InboxItem, { ownerUserId }: Agent): boolean {
  if (item.kind !== 'system_message' || item.silent) return false;
  return !isOwnWords(provenanceOf(item, ownerUserId));
}
