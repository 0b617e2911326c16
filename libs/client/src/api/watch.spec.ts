import { expect, it } from '@jest/globals';
import { fixedAuthority } from '../calls/authority';
import { Caller } from '../calls/caller';
import { isRetryable } from '../calls/retryable';
import { makeRpcs } from '../calls/rpc';
import { DaycareError } from '../transport/daycare-error';
import type { Transport } from '../transport/transport';
import { Agent } from './agent';

const disconnectCodes = [
  'UNAVAILABLE',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'UNAUTHENTICATED',
] as const;
const lastSequence = 1_000;
const unused = () => {
  throw new Error('not called');
};

/** A server with an agent that has a thousand records; each stream breaks after one record. */
const transport: Transport = {
  unary: async () => ({ agentId: 'a1', messageId: 'm1', afterSequence: 0 }),
  async *stream(_method, request) {
    const { afterSequence } = request as { afterSequence: number };
    if (afterSequence === lastSequence) return;
    const sequence = afterSequence + 1;
    yield { event: { $case: 'record', value: { sequence } } };
    const code = disconnectCodes[sequence % disconnectCodes.length] ?? 'UNAVAILABLE';
    throw new DaycareError({ code, message: 'Interrupted', details: {} });
  },
  upload: unused,
  close: unused,
};

it('a watch that is interrupted a thousand times yields each record once and in order', async () => {
  const timing = { backoff: { firstMs: 0, maxMs: 0 }, now: Date.now };
  const caller = new Caller(transport, fixedAuthority('Bearer pat'), { isRetryable, timing });
  const channel = { connector: 'client', channelId: 'me', connectorUserId: 'me' };
  const agent = new Agent({ caller, rpc: makeRpcs(caller) }, channel);
  await agent.send('hello');
  const seen: number[] = [];
  for await (const event of agent.watch())
    if (event.$case === 'record') seen.push(event.value.sequence);
  expect(seen).toEqual(Array.from({ length: lastSequence }, (_, index) => index + 1));
});
