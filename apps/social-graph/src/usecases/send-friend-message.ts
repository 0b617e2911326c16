import { createHash } from 'node:crypto';
import type { Recipient } from '@daycare/contracts/common';
import { FieldChecks } from '@daycare/errors';
import type { OutboxStore } from '@daycare/messaging';
import { mayMessageFriend, mayMessageSubuser, type SendVerdict } from '../domain/delivery';
import { pairOf, type Member } from '../domain/pair';
import { noTie } from '../domain/tie';
import type { TieStore } from '../store/tie-store';
import { laneOf, originOf, toForeground } from './notice-draft';
import { findCaller, findTarget, unknownNametag, type Directory, type Target } from './people';
import { refusalError } from './refusal-error';

export interface SendCall {
  readonly callerId: string;
  readonly agentId: string | undefined;
  /** How many agents in a row have led to it. */
  readonly hops: number;
  readonly requestId: string;
  readonly nametag: string;
  readonly message: string;
}

export interface SendDeps {
  readonly directory: Directory;
  readonly ties: TieStore;
  readonly outbox: OutboxStore;
  readonly now: () => Date;
  readonly wake: (lanes: readonly string[]) => void;
}

export interface SentMessage {
  readonly nametag: string;
  readonly messageId: string;
}

export const messageLimits = { min: 1, max: 32_768 };

/**
 * Accepts a message for a friend or a shared subuser: it is accepted once it is in the outbox. The tie
 * is read after the call began, so a call that begins after an unfriend or revoke was answered is refused.
 */
export function makeSendFriendMessage(deps: SendDeps) {
  return async (call: SendCall): Promise<SentMessage> => {
    const checks = new FieldChecks().requestId(call.requestId);
    const nametag = checks.nametag(call.nametag, 'nametag');
    checks.text(call.message, 'message', messageLimits).done();
    const target = await findTarget(deps.directory, call.callerId, nametag);
    const me = await findCaller(deps.directory, call.callerId);
    const messageId = messageIdOf(call, recipientOf(target).userId);
    const verdict = await judge(deps, me, target);
    if (verdict !== 'allowed') {
      // The answer to a message accepted before may have been lost; its retry is no new message.
      const known = await deps.outbox.status(messageId);
      if (known.state === 'unknown') throw refused(verdict, nametag, deps.now());
      return { nametag, messageId };
    }
    await accept(deps, call, me, target, messageId);
    return { nametag, messageId };
  };
}

async function judge({ ties }: SendDeps, me: Member, target: Target): Promise<SendVerdict> {
  const other = target.kind === 'user' ? target.member : target.owner;
  const { pair, me: side } = pairOf(me, other);
  const { tie } = (await ties.find(pair.id)) ?? { tie: noTie };
  return target.kind === 'user'
    ? mayMessageFriend(tie)
    : mayMessageSubuser(tie, side, target.subuserId);
}

async function accept(
  { outbox, wake }: SendDeps,
  { agentId, message, hops }: SendCall,
  me: Member,
  target: Target,
  id: string,
): Promise<void> {
  const recipient = recipientOf(target);
  const lane = laneOf(me.userId, recipient.userId);
  await outbox.append([
    {
      id,
      lane,
      origin: originOf(me),
      recipient,
      text: message.trim(),
      senderUserId: me.userId,
      senderAgentId: agentId ?? '',
      hops,
    },
  ]);
  wake([lane]);
}

function recipientOf(target: Target): Recipient {
  if (target.kind === 'user') return toForeground(target.member.userId);
  return { userId: target.subuserId, target: { $case: 'gateway', value: {} } };
}

/**
 * The same for every retry of a call, and for nothing else: a request id that is used again, for another
 * text or recipient, makes another message, so that no text is lost to it.
 */
function messageIdOf({ callerId, requestId, message }: SendCall, recipientId: string): string {
  const parts = ['friend-message', callerId, recipientId, requestId, message.trim()].join(' ');
  const hash = createHash('sha256').update(parts);
  return hash.digest('hex').slice(0, 40);
}

function refused(verdict: Exclude<SendVerdict, 'allowed'>, nametag: string, now: Date) {
  return verdict === 'not_friends'
    ? refusalError({ refused: 'not_friends' }, nametag, now)
    : unknownNametag();
}
