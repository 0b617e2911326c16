import {
  AppError,
  encodePageToken,
  FieldChecks,
  fitPage,
  isTime,
  notFound,
  type PageCursor,
  readPageToken,
} from '@daycare/errors';
import type { DeadLetter } from '../domain/dead-letter';
import type { AgentStore } from '../store/agent-store';
import type { DeadLetterStore, LetterReader } from '../store/dead-letter-store';
import { messageIdOf } from './message-id';
import type { PutItems } from './put-items';

export interface LetterDeps {
  readonly deadLetters: DeadLetterStore;
  readonly agents: AgentStore;
  readonly putItems: PutItems;
  /** Delivers a message that never reached an inbox once more; rejects when it still fits nowhere. */
  readonly redeliver: (payload: Uint8Array) => Promise<void>;
  readonly now: () => Date;
}

export interface ListLettersCall {
  readonly reader: LetterReader;
  readonly agentId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

/** What was given up, newest first. */
export function makeListDeadLetters({ deadLetters }: Pick<LetterDeps, 'deadLetters'>) {
  return async (
    call: ListLettersCall,
  ): Promise<{ letters: readonly DeadLetter[]; nextPageToken: string }> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(call.pageSize);
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    const after = readPageToken(call.pageToken, checks, readCursor);
    checks.done();
    const { reader, agentId } = call;
    const found = await deadLetters.list({ reader, agentId, after, limit: limit + 1 });
    const { page, last } = fitPage(found, limit, ({ text }) => text);
    return {
      letters: page,
      nextPageToken: last ? encodePageToken([last.deadAt.getTime(), last.id]) : '',
    };
  };
}

/**
 * Puts what a dead letter held at the end of its agent's inbox, as a message whose id comes from the
 * letter: however often this is cut off and repeated, and by whom, the agent gets it once.
 */
export function makeRetryDeadLetter(deps: LetterDeps) {
  return async (reader: LetterReader, requestId: string, letterId: string): Promise<void> => {
    new FieldChecks().requestId(requestId).id(letterId, 'dead_letter_id').done();
    const letter = await deps.deadLetters.findFor(reader, letterId);
    if (!letter || (letter.retriedBy ?? requestId) !== requestId) throw notFound('dead letter');
    if (letter.retriedBy) return;
    if (letter.item) await putBack(deps, letter, letter.item);
    else await deps.redeliver(letter.payload ?? new Uint8Array());
    await deps.deadLetters.markRetried(letter.id, requestId, deps.now());
  };
}

async function putBack(
  { agents, putItems, now }: LetterDeps,
  { id, agentId }: DeadLetter,
  item: NonNullable<DeadLetter['item']>,
): Promise<void> {
  const agent = await agents.find(agentId);
  if (!agent || agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
  const messageId = messageIdOf('retry', id);
  await putItems([{ agent, item: { ...item, messageId, acceptedAt: now() } }]);
}

function readCursor(cursor: PageCursor): { deadAt: Date; id: string } | undefined {
  const [deadMs, id, ...rest] = cursor;
  const isOurs = isTime(deadMs) && typeof id === 'string' && rest.length === 0;
  return isOurs ? { deadAt: new Date(deadMs), id } : undefined;
}
