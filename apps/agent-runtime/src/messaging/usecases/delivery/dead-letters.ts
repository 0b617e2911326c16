import {
  AppError,
  encodePageToken,
  FieldChecks,
  fitPage,
  isTime,
  messageIdOf,
  notFound,
  readPageToken,
  type PageCursor,
} from '@daycare/api';
import { closingOf } from '../../domain/closed-tie';
import type { DeadLetter } from '../../domain/dead-letter';
import { agentDead, type AgentReader } from '../../../agents';
import type { ClosedTieStore } from '../../store/closed-tie-store';
import type { DeadLetterStore, DeadLetterReader } from '../../store/dead-letter-store';
import type { PlaceItems } from '../inbox/place-items';

export interface DeadLetterDeps {
  readonly deadLetters: DeadLetterStore;
  readonly agents: AgentReader;
  readonly closedTies: Pick<ClosedTieStore, 'find'>;
  readonly placeItems: PlaceItems;
  /** Retries a message that never reached an inbox; rejects when it is still undeliverable. */
  readonly redeliver: (payload: Uint8Array) => Promise<void>;
  readonly now: () => Date;
}

export interface ListDeadLettersCall {
  readonly reader: DeadLetterReader;
  readonly agentId: string;
  /** Limits the list to this user and its subusers. */
  readonly userId?: string | undefined;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Lists dead letters, newest first. */
export function makeListDeadLetters({ deadLetters }: Pick<DeadLetterDeps, 'deadLetters'>) {
  return async (
    call: ListDeadLettersCall,
  ): Promise<{ letters: readonly DeadLetter[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(call.pageSize);
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    if (call.userId !== undefined) checks.id(call.userId, 'user_id');
    const after = readPageToken(call.pageToken, checks, readCursor);
    checks.done();
    const { reader, agentId, userId } = call;
    const found = await deadLetters.list({ reader, agentId, userId, after, limit: limit + 1 });
    const shown = found.map((letter) => redact(reader, letter));
    const { page, last } = fitPage(shown, limit, ({ text }) => text);
    return {
      letters: page,
      nextPageToken: last ? encodePageToken([last.deadAt.getTime(), last.id]) : '',
    };
  };
}

/** Removes the text from a user's dead letter for operators, who must not read what users write. */
function redact(reader: DeadLetterReader, letter: DeadLetter): DeadLetter {
  return reader === 'operator' && letter.userId !== '' ? { ...letter, text: '' } : letter;
}

/**
 * Puts a dead letter's item back into its agent's inbox, at the end of its lane, or redelivers a message that never
 * reached an inbox. The item's new message id is derived from the dead letter's id, so the agent receives the item once
 * even if this call is repeated.
 */
export function makeRetryDeadLetter(deps: DeadLetterDeps) {
  return async (reader: DeadLetterReader, requestId: string, letterId: string): Promise<void> => {
    new FieldChecks().requestId(requestId).id(letterId, 'dead_letter_id').done();
    const letter = await deps.deadLetters.findReadable(reader, letterId);
    if (!letter || (letter.retriedBy ?? requestId) !== requestId) throw notFound('dead letter');
    if (letter.retriedBy) return;
    if (letter.item) await putBack(deps, letter, letter.item);
    else await deps.redeliver(letter.payload ?? new Uint8Array());
    await deps.deadLetters.markRetried(letter.id, requestId, deps.now());
  };
}

/** Deletes a dead letter for good. */
export function makeDeleteDeadLetter({
  deadLetters,
  now,
}: Pick<DeadLetterDeps, 'deadLetters' | 'now'>) {
  return async (reader: DeadLetterReader, requestId: string, letterId: string): Promise<void> => {
    new FieldChecks().requestId(requestId).id(letterId, 'dead_letter_id').done();
    const request = { requestId, now: now() };
    if (!(await deadLetters.delete(reader, letterId, request))) throw notFound('dead letter');
  };
}

/** Stores the item with its tie, so that it is dropped like any other waiting item if the tie ends later. */
async function putBack(
  { agents, closedTies, placeItems, now }: DeadLetterDeps,
  { id, agentId, tie }: DeadLetter,
  item: NonNullable<DeadLetter['item']>,
): Promise<void> {
  const agent = await agents.find(agentId);
  if (!agent || agent.diedAt) throw agentDead();
  if (tie && closingOf(tie, await closedTies.find(tie.id)))
    throw new AppError(
      'FAILED_PRECONDITION',
      'The sender of this message may no longer write to this agent',
    );
  const messageId = messageIdOf('retry', id);
  await placeItems([{ recipients: [agent], item: { ...item, messageId, acceptedAt: now() }, tie }]);
}

function readCursor(cursor: PageCursor): { deadAt: Date; id: string } | undefined {
  const [deadMs, id, ...rest] = cursor;
  const isValid = isTime(deadMs) && typeof id === 'string' && rest.length === 0;
  return isValid ? { deadAt: new Date(deadMs), id } : undefined;
}
