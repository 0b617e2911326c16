import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { HistoryRecord, WatchAgentResponse } from '@daycare/contracts/agent-runtime';
import { AppError } from '@daycare/api';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { historyOf, post, summaryOf, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { people, agents, runtime } = stack;

type Event = NonNullable<WatchAgentResponse['event']>;

/** Passes events to `onEvent` until it returns true. */
async function watch(
  replica: number,
  { as }: { as: CallOptions },
  from: { agentId: string; afterSequence: number },
  onEvent: (event: Event) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  const options = { ...as, timeoutMs: 30_000, ...(signal ? { signal } : {}) };
  for await (const { event } of stack.runtimes[replica]!.watchAgent(from, options))
    if (onEvent(event!)) return;
}

/** Resolves with the records up to the one whose summary is `last`. */
async function recordsUntil(
  replica: number,
  who: { as: CallOptions },
  agentId: string,
  last: string,
): Promise<HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  await watch(replica, who, { agentId, afterSequence: 0 }, (event) => {
    if (event.$case === 'record') records.push(event.value);
    return records.length > 0 && summaryOf(records.at(-1)!) === last;
  });
  return records;
}

describe('watching an agent', () => {
  it('WatchAgent streams past records, then new ones, to every watcher', async () => {
    const ada = await people.newPerson();
    const { id: agentId } = await agents.foreground(ada);
    await whenRecorded(runtime, ada, agentId, 3);
    const watching = [0, 1, 0, 1].map((replica) =>
      recordsUntil(replica, ada, agentId, 'agent: You said: the end'),
    );
    for (const text of ['one', 'two', 'the end']) {
      const { afterSequence } = await runtime.postMessage(post(text), ada.as);
      await whenRecorded(runtime, ada, agentId, afterSequence + 2);
    }
    const history = await historyOf(runtime, ada, agentId);
    expect(history).toHaveLength(9);
    for (const seen of await Promise.all(watching)) expect(seen).toEqual(history);
  });

  it('WatchAgent streams an answer from its beginning, then the complete record', async () => {
    const ada = await people.newPerson();
    const { id: agentId } = await agents.foreground(ada);
    await whenRecorded(runtime, ada, agentId, 3);
    const turns: { written: string; answer: string }[] = [];
    let written = '';
    const stop = new AbortController();
    const onEvent = (event: Event): boolean => {
      if (event.$case === 'delta') written += event.value.text;
      else if (event.$case === 'record' && event.value.record?.$case === 'assistantMessage') {
        const { text: answer } = event.value.record.value;
        if (answer !== '') turns.push({ written, answer });
        written = '';
      }
      return false;
    };
    const from = { agentId, afterSequence: 3 };
    const watching = watch(1, ada, from, onEvent, stop.signal).catch(ignoreCancelled);
    // The answer follows tool calls, because a quick answer to a message is recorded together with the message. Even
    // then the answer may be recorded before a watcher has seen any part of it.
    const request = Array(16).fill('/subuser_list {}').join('\n');
    const shown = () => turns.filter((turn) => turn.written !== '');
    for (let round = 0; shown().length < 5; round += 1) {
      await runtime.postMessage(post(request), ada.as);
      await eventually(() => turns.length > round);
    }
    stop.abort();
    await watching;
    expect(shown().filter((turn) => !turn.answer.startsWith(turn.written))).toEqual([]);
  });

  it('streams that are interrupted and resumed a thousand times in all neither lose nor repeat a record', async () => {
    const ada = await people.newPerson();
    const { id: agentId } = await agents.foreground(ada);
    const stop = new AbortController();
    const posting = (async () => {
      for (let count = 0; !stop.signal.aborted; count += 1)
        await stack.runtimes[count % 2]!.postMessage(post(`number ${count}`), ada.as);
    })();
    const readers = await Promise.all(Array.from({ length: 4 }, () => readInPieces(250)));
    stop.abort();
    await posting;
    const { afterSequence } = await runtime.postMessage(post('the end'), ada.as);
    const history = await whenRecorded(runtime, ada, agentId, afterSequence + 2);
    for (const seen of readers) {
      expect(seen.length).toBeGreaterThan(100);
      expect(seen).toEqual(history.slice(0, seen.length));
    }

    async function readInPieces(pieces: number): Promise<HistoryRecord[]> {
      const seen: HistoryRecord[] = [];
      for (let piece = 0; piece < pieces; piece += 1) {
        const targetLength = seen.length + Math.floor(Math.random() * 4);
        const abort = new AbortController();
        // Streams are interrupted at random moments, some before the first event.
        if (targetLength === seen.length) setTimeout(() => abort.abort(), Math.random() * 10);
        const from = { agentId, afterSequence: seen.at(-1)?.sequence ?? 0 };
        const onEvent = (event: Event): boolean => {
          if (event.$case === 'record') seen.push(event.value);
          if (Math.random() < 0.1) abort.abort();
          return seen.length >= Math.max(targetLength, 1);
        };
        await watch(piece % 2, ada, from, onEvent, abort.signal).catch(ignoreCancelled);
      }
      return seen;
    }
  });

  it('an agent may be watched only by its user and that user’s owner', async () => {
    const [ada, eve] = await people.newPair();
    const helper = await people.newSubuser(ada);
    const [desk, gateway] = [await agents.foreground(ada), await agents.gateway(helper)];
    const unknown = await wireAnswer(
      runtime.watchAgent({ agentId: createId(), afterSequence: 0 }, eve.as),
    );
    expect(unknown).toMatchObject({ code: 5, details: 'Agent not found' });
    for (const [who, { id: agentId }] of [
      [eve, desk],
      [eve, gateway],
      [gateway, desk],
    ] as const) {
      const watching = runtime.watchAgent({ agentId, afterSequence: 0 }, who.as);
      expect(await wireAnswer(watching)).toEqual(unknown);
    }
    const send = { requestId: createId(), agentId: gateway.id, text: 'Hi' };
    await runtime.sendAgentMessage(send, desk.as);
    const answer = `agent: ${desk.id} said: Hi`;
    const [byOwner, byItself] = await Promise.all([
      recordsUntil(1, ada, gateway.id, answer),
      recordsUntil(0, gateway, gateway.id, answer),
    ]);
    expect(byOwner.map(summaryOf)).toEqual(['start', `${desk.id}: Hi`, answer]);
    expect(byItself).toEqual(byOwner);
  });
});

function ignoreCancelled(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'CANCELLED') throw error;
}

it('a stream ends after the watcher’s token is revoked', async () => {
  const ada = await people.newPerson();
  const { id: agentId } = await agents.foreground(ada);
  const { as, token } = await people.signInWithToken(ada.id);
  const from = { agentId, afterSequence: 0 };
  let revoked: Promise<void> | undefined;
  const watching = watch(0, { as }, from, () => {
    revoked ??= people.revoke(token);
    return false;
  });
  await expect(watching).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await revoked;
});
