import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Trust } from '@daycare/contracts/common';
import { emission } from '../../test-support/test-wiring';
import { useTestSignals } from '../../test-support/test-signals';

const { wiring, agents, subscribe, delivered, listAll } = useTestSignals();

describe('emitSignal', () => {
  it('an emitted signal is delivered to the user’s other agents with a matching pattern, silently by default', async () => {
    const loud = { ...agents.listener, agentId: createId() };
    const stranger = { userId: createId(), agentId: createId() };
    await subscribe(agents.listener, 'build:*');
    await subscribe(loud, 'build:done', false);
    for (const caller of [agents.emitter, stranger]) await subscribe(caller, 'build:*');
    const { id } = await wiring.emitSignal(
      emission(agents.emitter, { dataJson: ' {"ok": true} ' }),
    );
    const text = `Signal build:done from agent ${agents.emitter.agentId}\nData: {"ok": true}`;
    const expected = { origin: `signal:${id}`, text, senderUserId: agents.emitter.userId };
    expect(await wiring.deliveredTo(agents.listener.agentId)).toMatchObject([
      { ...expected, silent: true },
    ]);
    expect(await wiring.deliveredTo(loud.agentId)).toMatchObject([{ ...expected, silent: false }]);
    expect(await wiring.deliveredTo(agents.emitter.agentId)).toEqual([]);
    expect(await wiring.deliveredTo(stranger.agentId)).toEqual([]);
  });

  it('an emitted signal names its emitter and carries the emitting turn’s trust and private label', async () => {
    await subscribe(agents.listener, 'build:*');
    const turn = { hops: 3, trust: 'guest', carriesPrivate: true } as const;
    await wiring.emitSignal(emission({ ...agents.emitter, ...turn }));
    await wiring.emitSignal(emission({ ...agents.emitter, ...turn }, { delayMs: 1_000 }));
    wiring.advanceMs(1_000);
    await wiring.emitDueSignals();
    const expected = {
      senderAgentId: agents.emitter.agentId,
      hops: 3,
      trust: Trust.GUEST,
      carriesPrivate: true,
    };
    expect(await wiring.deliveredTo(agents.listener.agentId)).toMatchObject([expected, expected]);
    expect(await listAll()).toMatchObject([{ trust: 'guest' }, { trust: 'guest' }]);
  });

  it.each([
    ['a person', undefined, Trust.PERSON, undefined],
    ['an agent with its own token', 'agent', Trust.OWN, undefined],
    ['an agent whose turn a person started', 'agent', Trust.PERSON, 'person'],
    ['an agent whose turn a webhook started', 'agent', Trust.OUTSIDE, 'outside'],
  ] as const)(
    'a signal from %s has the trust of its emitter',
    async (_, agentId, trust, turnTrust) => {
      await subscribe(agents.listener, 'build:*');
      await wiring.emitSignal(
        emission({ userId: agents.emitter.userId, agentId, trust: turnTrust }),
      );
      expect(await wiring.deliveredTo(agents.listener.agentId)).toMatchObject([
        {
          trust,
          senderAgentId: agentId ?? '',
          senderUserId: agents.emitter.userId,
          carriesPrivate: false,
        },
      ]);
    },
  );

  it('an emitted signal is stored and delivered only once, even for concurrent retries', async () => {
    await subscribe(agents.listener, 'build:*');
    const call = emission(agents.emitter);
    const emitted = await Promise.all(Array.from({ length: 6 }, () => wiring.emitSignal(call)));
    expect(new Set(emitted.map(({ id }) => id)).size).toBe(1);
    expect(await wiring.emitSignal(call)).toEqual(emitted[0]);
    expect(await delivered()).toHaveLength(1);
    expect(await listAll()).toHaveLength(1);
  });

  it('signals are delivered in the order of emission', async () => {
    await subscribe(agents.listener, '*');
    for (const type of ['one', 'two', 'three'])
      await wiring.emitSignal(emission(agents.emitter, { type }));
    expect(await delivered()).toEqual(
      ['one', 'two', 'three'].map((type) => expect.stringContaining(`Signal ${type} `)),
    );
  });

  it.each([
    [{ type: '' }, 'type'],
    [{ type: 'a:*' }, 'type'],
    [{ dataJson: '{' }, 'data_json'],
    [{ dataJson: `"${'x'.repeat(32_768)}"` }, 'data_json'],
    [{ delayMs: -1 }, 'delay_ms'],
    [{ repeatKey: 'x'.repeat(201) }, 'repeat_key'],
    [{ requestId: '' }, 'request_id'],
  ])('refuses a signal with %j', async (changes, field) => {
    await expect(wiring.emitSignal(emission(agents.emitter, changes))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    expect(await listAll()).toEqual([]);
  });
});

it('the signals that match a pattern are listed page by page, newest first', async () => {
  for (const type of ['a:1', 'b:1', 'a:2', 'a:3:x']) {
    await wiring.emitSignal(emission(agents.emitter, { type }));
    wiring.advanceMs(1);
  }
  const call = { userId: agents.emitter.userId, pattern: 'a:*', state: undefined, pageSize: 1 };
  const first = await wiring.listSignals({ ...call, pageToken: '' });
  const second = await wiring.listSignals({ ...call, pageToken: first.nextPageToken });
  expect([first, second].map((page) => page.signals.map(({ type }) => type))).toEqual([
    ['a:2'],
    ['a:1'],
  ]);
  expect(second.nextPageToken).toBe('');
});
