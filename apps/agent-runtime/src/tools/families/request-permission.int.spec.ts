import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import {
  resetItem,
  startTestPermissions,
  type TestPermissions,
} from '../../test-support/test-permissions';
import {
  serveNext,
  startTestRuntime,
  personMessage,
  type TestRuntime,
} from '../../test-support/test-runtime';
import type { RequestPermission } from '../../permissions/usecases/request-permission';
import { agentTools, type AgentToolsDeps } from './agent-tools';
import { testRegistry } from '../../test-support/test-tool';

let runtime: TestRuntime;
let permissions: TestPermissions;

beforeAll(async () => {
  const requestPermission: RequestPermission = (call) => permissions.request(call);
  // The other tools of the family are not called here.
  const tools = testRegistry(agentTools({ messaging: {}, requestPermission } as AgentToolsDeps));
  runtime = await startTestRuntime({ tools });
  permissions = await startTestPermissions(runtime);
});
afterAll(async () => {
  await permissions.close();
  await runtime.close();
});

/** Runs agents on a new replica, which has nothing in memory yet; returns a function that stops it. */
const serve = () => serveNext(runtime, localProvider);
const command = '/request_permission {"permission":"network","reason":"to look it up"}';
const ask = (agent: Agent) => runtime.say(agent, command);
const pendingOf = (agent: Agent) =>
  eventually(async () => {
    const call = { agentId: agent.id, states: ['pending' as const], pageSize: 0, pageToken: '' };
    const { requests } = await permissions.list({ ...call, userId: agent.userId });
    return requests[0];
  });
const waitForText = (agent: Agent, text: string) =>
  eventually(async () =>
    (await runtime.textsOf(agent)).some((recorded) => recorded.startsWith(text)),
  );
const decide = (agent: Agent, permissionRequestId: string) => {
  const { userId } = agent;
  return permissions.decide({
    userId,
    requestId: createId(),
    permissionRequestId,
    decision: 'grant',
  });
};
const newBackgroundAgent = (talker: Agent) =>
  runtime.newAgent(
    { kind: 'subagent', id: createId(), parentAgentId: talker.id, name: 'scout' },
    talker.userId,
  );

describe('an agent that requests a permission', () => {
  it('an agent receives the decision on its request even if the service restarts in between', async () => {
    const talker = await runtime.newAgent();
    const requester = await newBackgroundAgent(talker);
    const stop = await serve();
    await ask(requester);
    await waitForText(requester, 'request_permission: {"permissionRequestId"');
    await stop();
    const request = await pendingOf(requester);
    expect(request).toMatchObject({ permission: 'network', reason: 'to look it up' });
    await decide(requester, request.id);
    const stopAgain = await serve();
    const decision = 'The user granted your request for network.';
    await waitForText(requester, `system said: ${decision}`);
    await eventually(async () => (await runtime.textsOf(talker)).length === 3);
    await stopAgain();
    const texts = await runtime.textsOf(talker);
    expect(texts[1]).toContain('is asking the user for the permission network');
    expect(texts[2]).toContain('granted the permission network');
  });

  it('an agent does not receive the decision on its request if it is reset before it processes that decision', async () => {
    const requester = await newBackgroundAgent(await runtime.newAgent());
    const stop = await serve();
    await ask(requester);
    await waitForText(requester, 'request_permission: {"permissionRequestId"');
    const { id } = await pendingOf(requester);
    await stop();
    // The decision was made before the reset was requested, but the agent processes the reset first.
    const request = (await permissions.permissions.find(requester.userId, id, new Date()))!;
    await runtime.putItems([{ agent: requester, item: resetItem(requester) }]);
    const { agentId, userId, permission, contextFrom } = request;
    const common = { agentId, userId, messageId: createId(), acceptedAt: new Date() };
    const decision = { permissionRequestId: id, permission, granted: true, contextFrom };
    await runtime.putItems([
      { agent: requester, item: { kind: 'permission_decision', ...common, ...decision } },
    ]);
    await runtime.putItems([
      { agent: requester, item: personMessage(requester, 'are you there?') },
    ]);
    const stopAgain = await serve();
    await waitForText(requester, 'You said: are you there?');
    await stopAgain();
    expect((await runtime.textsOf(requester)).filter((text) => text.includes('granted'))).toEqual(
      [],
    );
    await expect(runtime.inbox.next(requester, 10)).resolves.toEqual([]);
  });

  it('request_permission with an invalid permission returns INVALID_ARGUMENT to the agent', async () => {
    const requester = await newBackgroundAgent(await runtime.newAgent());
    const stop = await serve();
    const item = personMessage(
      requester,
      '/request_permission {"permission":"Net work","reason":"x"}',
    );
    await runtime.putItems([{ agent: requester, item }]);
    await waitForText(requester, 'request_permission: {"error":{"code":"INVALID_ARGUMENT"');
    await stop();
  });
});
