import { describe, expect, it } from '@jest/globals';
import { AppError, notFound } from '@daycare/api';
import { BrokenSequenceError, type MessageSequence } from '@daycare/messaging';
import type { SendCall, SendSteps } from './send-friend-message';
import { makeSendFriendMessages } from './send-friend-messages';

function call(requestId: string): SendCall {
  return {
    callerId: 'ada',
    agentId: undefined,
    turn: {},
    requestId,
    nametag: 'bob',
    message: 'hi',
  };
}

/** Steps that finish when the test decides. */
function controlledSteps() {
  const prepared = new Map<string, (refusal?: Error) => void>();
  const stored = new Map<string, (failure?: Error) => void>();
  const entered: string[] = [];
  const sequences = new Set<MessageSequence | undefined>();
  const steps: SendSteps = {
    prepare: ({ requestId: messageId }) =>
      new Promise((resolve, reject) => {
        prepared.set(messageId, (refusal) =>
          refusal ? reject(refusal) : resolve({ nametag: 'bob', messageId, draft: undefined }),
        );
      }),
    store: (message, sequence) => {
      sequences.add(sequence);
      entered.push(message.messageId);
      return new Promise((resolve, reject) => {
        stored.set(message.messageId, (failure) => (failure ? reject(failure) : resolve(message)));
      });
    },
  };
  const open = makeSendFriendMessages(steps);
  return { open, send: open(), prepared, stored, entered, sequences };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sendFriendMessages', () => {
  it('lets no message overtake one whose recipient takes longer to find', async () => {
    const { send, prepared, entered } = controlledSteps();
    for (const id of ['1', '2', '3']) void send(call(id));
    prepared.get('3')!();
    prepared.get('2')!();
    await settled();
    expect(entered).toEqual([]);
    prepared.get('1')!();
    await settled();
    expect(entered).toEqual(['1', '2', '3']);
  });

  it('does not wait for a message to be stored before it begins to store the next one', async () => {
    const { send, prepared, stored, entered } = controlledSteps();
    const [first, second] = [send(call('1')), send(call('2'))];
    prepared.get('1')!();
    prepared.get('2')!();
    await settled();
    expect(entered).toEqual(['1', '2']);
    stored.get('2')!();
    await expect(second).resolves.toMatchObject({ messageId: '2' });
    stored.get('1')!();
    await expect(first).resolves.toMatchObject({ messageId: '1' });
  });

  it('stores the messages of each stream in a separate sequence', async () => {
    const { open, send, prepared, sequences } = controlledSteps();
    for (const id of ['1', '2']) void send(call(id));
    prepared.get('1')!();
    prepared.get('2')!();
    await settled();
    expect([...sequences]).toEqual([{ isBroken: false }]);
    void open()(call('3'));
    prepared.get('3')!();
    await settled();
    expect(sequences.size).toBe(2);
  });

  it('still finishes storing a message when a later one fails in the meantime', async () => {
    const { send, prepared, stored, sequences } = controlledSteps();
    const [waiting, failing] = [send(call('1')), send(call('2'))];
    prepared.get('1')!();
    const unavailable = new AppError('UNAVAILABLE', 'identity is not responding');
    const failure = expect(failing).rejects.toBe(unavailable);
    prepared.get('2')!(unavailable);
    await failure;
    expect([...sequences]).toEqual([{ isBroken: false }]);
    stored.get('1')!();
    await expect(waiting).resolves.toMatchObject({ messageId: '1' });
  });

  it('refusing a message does not affect the messages after it', async () => {
    const { send, prepared, stored, entered } = controlledSteps();
    const [refused, accepted] = [send(call('1')), send(call('2'))];
    const refusal = expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    prepared.get('2')!();
    prepared.get('1')!(notFound('nametag'));
    await refusal;
    await settled();
    expect(entered).toEqual(['2']);
    stored.get('2')!();
    await expect(accepted).resolves.toMatchObject({ messageId: '2' });
  });

  it.each(['before', 'while'])(
    'stores no message after one that failed %s being stored, because the sender will retry the failed one',
    async (when) => {
      const { send, prepared, stored, entered } = controlledSteps();
      const [failing, waiting] = [send(call('1')), send(call('2'))];
      const unavailable = new AppError('UNAVAILABLE', 'no database');
      const failure = expect(failing).rejects.toBe(unavailable);
      const lost = expect(waiting).rejects.toBeInstanceOf(BrokenSequenceError);
      prepared.get('1')!(when === 'before' ? unavailable : undefined);
      await settled();
      stored.get('1')?.(unavailable);
      await failure;
      prepared.get('2')!();
      await lost;
      const later = expect(send(call('3'))).rejects.toBeInstanceOf(BrokenSequenceError);
      prepared.get('3')!();
      await later;
      expect(entered).toEqual(when === 'before' ? [] : ['1']);
    },
  );
});
