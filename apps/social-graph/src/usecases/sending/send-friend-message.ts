import type { Recipient, TieRef } from '@daycare/contracts/common';
import { AppError, FieldChecks, messageIdOf, parseNametag } from '@daycare/api';
import {
  turnFields,
  type BudgetLimits,
  type MessageDraft,
  type MessageSequence,
  type OutboxStore,
  type SendingTurn,
} from '@daycare/messaging';
import { limitsOf } from '../../domain/friend-limits';
import { mayMessageFriend, mayMessageSubuser, type SendVerdict } from '../../domain/delivery';
import { newestNotice } from '../../domain/tie/notices';
import { pairOf, type Member } from '../../domain/tie/pair';
import { noTie, otherSide } from '../../domain/tie/tie';
import type { TieStore } from '../../store/tie-store';
import { countLookup, type Lookups } from '../lookups';
import { laneOf, originOf, toForeground } from '../notice-draft';
import { findCaller, unknownNametag, type Directory } from '../people';
import { refusalError } from '../refusal-error';
import {
  findOwnSubuserByName,
  findRecipient,
  mayBeName,
  type FindOwnSubusers,
  type SendTarget,
} from './find-recipient';

export interface SendCall {
  readonly callerId: string;
  readonly agentId: string | undefined;
  readonly turn: SendingTurn;
  readonly requestId: string;
  readonly nametag: string;
  readonly message: string;
  readonly traceparent?: string | undefined;
  readonly lookups?: Lookups | undefined;
}

export interface SendDeps {
  readonly directory: Directory;
  readonly findOwnSubusers: FindOwnSubusers;
  readonly ties: TieStore;
  readonly outbox: OutboxStore;
  /** How much one user may send to another. */
  readonly addressLimits: BudgetLimits;
  readonly now: () => Date;
}

export interface SentMessage {
  readonly nametag: string;
  readonly messageId: string;
}

export const messageLimits = { min: 1, max: 32_768 };

/**
 * A message that may be sent and only needs to be stored. The draft is undefined for a retry of a message that an
 * earlier attempt stored and that is no longer allowed.
 */
export interface AllowedMessage extends SentMessage {
  readonly draft: MessageDraft | undefined;
}

/** The two steps of sending a message: the checks that can refuse it, then the write. */
export interface SendSteps {
  readonly prepare: (call: SendCall) => Promise<AllowedMessage>;
  /**
   * The messages of one lane are delivered in the order of these calls; in a sequence, none is stored after one that
   * failed.
   */
  readonly store: (message: AllowedMessage, sequence?: MessageSequence) => Promise<SentMessage>;
}

export function makeSendSteps(deps: SendDeps): SendSteps {
  return {
    async prepare(call) {
      const { callerId, lookups } = call;
      const nametag = check(call);
      const me = await findCaller(deps.directory, callerId);
      try {
        if (nametag !== undefined) {
          const target = await findRecipient(deps.directory, callerId, nametag, lookups);
          return await prepareFor(deps, call, me, target);
        }
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
        if (lookups) lookups.isUnknownNametag = true;
      }
      return prepareFor(deps, call, me, await findOwnSubuserByName(deps, callerId, call.nametag));
    },
    async store({ nametag, messageId, draft }, sequence) {
      if (draft && sequence) await deps.outbox.appendTo(sequence, [draft]);
      else if (draft) await deps.outbox.append([draft]);
      return { nametag, messageId };
    },
  };
}

/** Validates the call. Returns the nametag, or undefined if the text can only be a subuser's name. */
function check(call: SendCall): string | undefined {
  const checks = new FieldChecks().requestId(call.requestId);
  const nametag = parseNametag(call.nametag);
  if (nametag === undefined && !mayBeName(call.nametag)) checks.nametag(call.nametag, 'nametag');
  checks.text(call.message, 'message', messageLimits).done();
  return nametag;
}

async function prepareFor(
  deps: SendDeps,
  call: SendCall,
  me: Member,
  target: SendTarget,
): Promise<AllowedMessage> {
  const { nametag } = target.kind === 'user' ? target.member : target;
  const messageId = idOf(call, recipientOf(target).userId);
  countLookup(call.lookups, 'reads');
  const { verdict, ...checked } = await checkTie(deps, me, target);
  if (verdict === 'allowed') {
    const draft = { ...draftOf(call, me, target, messageId), ...checked };
    return { nametag, messageId, draft };
  }
  // The response to a message that was accepted earlier may have been lost; a retry still succeeds.
  countLookup(call.lookups, 'reads');
  const known = await deps.outbox.status(messageId);
  if (known.state === 'unknown') throw refusal(verdict, nametag, deps.now());
  return { nametag, messageId, draft: undefined };
}

/**
 * Sends a message to a friend, a shared subuser or one of the caller's own subusers; returns once the message is in the
 * outbox. The tie is read during the call, so a call is refused if it starts after the call that ended the friendship
 * or share has returned, unless it retries a message that was accepted before.
 */
export function makeSendFriendMessage({ prepare, store }: SendSteps) {
  return async (call: SendCall): Promise<SentMessage> => store(await prepare(call));
}

interface TieCheck {
  readonly verdict: SendVerdict;
  /** The newest notice in the message's lane that has no receipt yet; it is delivered before the message. */
  readonly predecessors: readonly string[];
  /** The tie that allows the message; absent for the caller's own subusers. */
  readonly tie?: TieRef;
  /** How much the caller may send; present with a tie. */
  readonly limits?: BudgetLimits;
}

async function checkTie(
  { ties, addressLimits }: SendDeps,
  me: Member,
  target: SendTarget,
): Promise<TieCheck> {
  if (target.kind === 'own_subuser') return { verdict: 'allowed', predecessors: [] };
  const other = target.kind === 'user' ? target.member : target.owner;
  const { pair, me: side } = pairOf(me, other);
  const { tie, notices, version } = (await ties.find(pair.id)) ?? { tie: noTie, version: 0 };
  const limits = limitsOf(tie, otherSide[side], addressLimits);
  if (target.kind === 'subuser') {
    const { subuserId } = target;
    const verdict = mayMessageSubuser(tie, side, subuserId);
    return { verdict, predecessors: [], tie: { id: pair.id, version, subuserId }, limits };
  }
  const newest = newestNotice(notices, otherSide[side]);
  const predecessors = newest === undefined ? [] : [newest];
  const ref = { id: pair.id, version, subuserId: '' };
  return { verdict: mayMessageFriend(tie), predecessors, tie: ref, limits };
}

function draftOf(
  { agentId, message, turn, traceparent }: SendCall,
  me: Member,
  target: SendTarget,
  id: string,
): MessageDraft {
  const recipient = recipientOf(target);
  return {
    id,
    lane: laneOf(me.userId, recipient.userId),
    origin: target.kind === 'own_subuser' ? `owner:${me.nametag}` : originOf(me),
    recipient,
    text: message.trim(),
    senderUserId: me.userId,
    senderAgentId: agentId ?? '',
    ...turnFields(turn),
    traceparent,
  };
}

function recipientOf(target: SendTarget): Recipient {
  if (target.kind === 'user') return toForeground(target.member.userId);
  return { userId: target.subuserId, target: { $case: 'gateway', value: {} } };
}

/**
 * Returns the message id, which is the same for every retry of a call. A request id reused with different text or
 * another recipient yields a different message, so no text is lost.
 */
function idOf({ callerId, requestId, message }: SendCall, recipientId: string): string {
  return messageIdOf('friend-message', callerId, recipientId, requestId, message.trim());
}

function refusal(verdict: Exclude<SendVerdict, 'allowed'>, nametag: string, now: Date) {
  return verdict === 'not_friends'
    ? refusalError({ refused: 'not_friends' }, nametag, now)
    : unknownNametag();
}
