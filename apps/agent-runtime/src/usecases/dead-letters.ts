import { FieldChecks, notFound } from '@daycare/errors';
import type { DeadLetter } from '../domain/dead-letter';
import { fitPage } from '../domain/fit-page';
import { encodePageToken, readPageToken, type PageCursor } from '../domain/page-token';
import type { AgentStore } from '../store/agent-store';
import type { DeadLetterStore, LetterReader } from '../store/dead-letter-store';
import type { InboxStore } from '../store/inbox-store';

export interface LetterDeps {
  readonly deadLetters: DeadLetterStore;
  readonly agents: AgentStore;
  readonly inbox: InboxStore;
  /** Delivers a message that never reached an inbox once more; rejects when it still fits nowhere. */
  readonly redeliver: (payload: Uint8Array) => Promise<void>;
  readonly wake: (shard: number, agentIds: readonly string[]) => void;
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
 * Puts a dead letter back to the end of its agent's inbox. The letter is marked last: should this be cut
 * off before, a repetition finds the item waiting already and marks the letter.
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
  { agents, inbox, wake }: LetterDeps,
  { agentId }: DeadLetter,
  item: NonNullable<DeadLetter['item']>,
): Promise<void> {
  const agent = await agents.find(agentId);
  if (!agent || agent.diedAt) throw notFound('dead letter');
  await inbox.putBack({ item, shard: agent.shard });
  wake(agent.shard, [agent.id]);
}

function readCursor([deadMs, id]: PageCursor): { deadAt: Date; id: string } | undefined {
  const isOurs = typeof deadMs === 'number' && typeof id === 'string';
  return isOurs ? { deadAt: new Date(deadMs), id } : undefined;
}
