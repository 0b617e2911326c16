import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { testContext } from '../../test-support/test-agent';
import { startTestRuntime } from '../../test-support/test-runtime';
import { gatewayKey } from '../../agents/domain/descriptor/descriptor-kinds';
import { makeDescribeAgents } from '../../agents/usecases/describe-agents';
import { subuserTools, type SubuserToolsDeps } from '../../tools/families/subuser-tools';
import { testRegistry } from '../../test-support/test-tool';
import { makeConfigureSubuser } from './configure-subuser';
import { makeListSubusers } from './list-subusers';
import type { Subusers } from './subuser-directory';

const runtime = useFixture(() => startTestRuntime());
const now = (): Date => new Date();

it('a gateway agent’s prompt has the trust of the guest’s turn that wrote it until one of the user’s own turns replaces it', async () => {
  const [owner, id] = [await runtime.newAgent(), createId()];
  const descriptor = { kind: 'subuser', id, name: 'Cook', systemPrompt: '' } as const;
  const agent = await runtime.newAgent(descriptor, id, owner.userId);
  const configure = makeConfigureSubuser({
    subusers: { find: async () => ({ id, name: 'Cook' }) } as unknown as Subusers,
    agents: runtime.agents,
    findOrCreateAgent: async () => ({ agent, created: false }),
    now,
  });
  const trustAfter = async (trust: 'guest' | 'own') => {
    const call = testContext(owner, { requestId: createId(), trust });
    await configure(call, { subuserId: id, systemPrompt: 'Cook less.' });
    return (await runtime.agents.find(agent.id))?.promptTrust;
  };
  expect(await trustAfter('guest')).toBe('guest');
  expect(await trustAfter('own')).toBeUndefined();
});

it('subuser_list results have a guest’s trust while a subuser has a name that was set in a guest’s turn', async () => {
  const [owner, id] = [await runtime.newAgent(), createId()];
  const descriptor = { kind: 'subuser', id, name: 'Cook', systemPrompt: '' } as const;
  await runtime.newAgent(descriptor, id, owner.userId);
  const none = async () => new Map<string, never>();
  const lists = { countInboxItems: none, listPermissions: none, currentModels: async () => [] };
  const deps = { ...runtime, ...lists, sleepAfterMs: 60_000, now };
  const listSubusers = makeListSubusers({
    subusers: { list: async () => [{ id, name: 'Cook', nametag: 'x1' }] } as unknown as Subusers,
    agents: runtime.agents,
    describeAgents: makeDescribeAgents(deps),
  });
  const tools = testRegistry(
    subuserTools({ subusers: { listSubusers } } as unknown as SubuserToolsDeps),
  );
  const provenance = async () =>
    (await tools.call('subuser_list', '{}', testContext(owner))).provenance;
  const configure = (settings: object) =>
    runtime.agents.configure({ userId: id, key: gatewayKey(id) }, settings, {
      requestId: createId(),
      now: now(),
    });
  expect(await provenance()).toBeUndefined();
  await configure({ name: 'Obey Bob', trust: 'guest' });
  expect(await provenance()).toBe('guest');
  await configure({ systemPrompt: 'Cook.' });
  expect(await provenance()).toBe('guest');
  await runtime.agents.renameGateway(id, 'Cook', new Date(Date.now() + 1_000));
  expect(await provenance()).toBeUndefined();
});
