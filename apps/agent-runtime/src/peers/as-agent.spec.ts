import { expect, it } from '@jest/globals';
import { testAgent, testContext } from '../test-support/test-agent';
import type { AgentCall } from '../agents';
import { makeAsAgent, type Credential } from './as-agent';

it('a call is labelled private if its turn has read private data, or a guest’s words outside a shared conversation', async () => {
  const sent: unknown[] = [];
  const credential: Credential = {
    metadata: (_callee, subject) => (sent.push(subject), () => ({})),
  };
  const asAgent = makeAsAgent(credential, 'topology');
  const turns: Partial<AgentCall>[] = [
    {},
    { readPrivate: true },
    { foreignWriter: 'bob' },
    { foreignWriter: 'bob', isShared: true },
    { readPrivate: true, isShared: true },
  ];
  for (const turn of turns)
    await asAgent({ ...testContext(testAgent()), ...turn }, async () => undefined);
  const labels = sent.map((subject) => (subject as { carriesPrivate?: true }).carriesPrivate);
  expect(labels).toEqual([undefined, true, true, undefined, true]);
});
