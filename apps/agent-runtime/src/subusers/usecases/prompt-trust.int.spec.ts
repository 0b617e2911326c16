import { expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { useFixture } from '@daycare/testing/jest';
import { testContext } from '../../test-support/test-agent';
import { startTestRuntime } from '../../test-support/test-runtime';
import { makeConfigureSubuser } from './configure-subuser';
import type { Subusers } from './subuser-directory';

const runtime = useFixture(() => startTestRuntime());

it('a gateway keeps the trust of the turn that wrote its prompt until one of the user’s own turns replaces it', async () => {
  const [owner, id] = [await runtime.newAgent(), createId()];
  const descriptor = { kind: 'subuser', id, name: 'Cook', systemPrompt: '' } as const;
  const agent = await runtime.newAgent(descriptor, id, owner.userId);
  const configure = makeConfigureSubuser({
    subusers: { find: async () => ({ id, name: 'Cook' }) } as unknown as Subusers,
    agents: runtime.agents,
    findOrCreateAgent: async () => ({ agent, created: false }),
  });
  const trustAfter = async (trust: 'guest' | 'own') => {
    const call = testContext(owner, { requestId: createId(), trust });
    await configure(call, { subuserId: id, systemPrompt: 'Cook less.' });
    return (await runtime.agents.find(agent.id))?.promptTrust;
  };
  expect(await trustAfter('guest')).toBe('guest');
  expect(await trustAfter('own')).toBeUndefined();
});
