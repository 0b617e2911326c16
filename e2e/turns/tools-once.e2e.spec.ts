import { beforeAll, describe, expect, it } from '@jest/globals';
import { toAppError } from '@daycare/api';
import { createId } from '@daycare/api/create-id';
import { TopologyFormat, type Topology } from '@daycare/contracts/topology';
import { eventually } from '@daycare/testing';
import {
  toolNames,
  toolTable,
  type ToolName,
  type ToolRow,
} from '../../apps/agent-runtime/src/tools/domain/tool-policy';
import {
  otherAgentsChannels,
  replayedCalls,
  type ReplayResources,
  type RunTool,
  type ToolResult,
} from '../support/chaos/replayed-calls';
import { historyOf, summaryOf } from '../support/people/history';
import type { Person } from '../support/people/people';
import { useSharedStack } from '../support/stack/use-stack';

const stack = useSharedStack();
const changingTools = toolNames.filter((tool) => !(toolTable[tool] as ToolRow).isReadOnly);

interface MadeCall {
  readonly args: object;
  readonly requestId: string;
  readonly result: ToolResult;
}

let ada: Person;
let receiver: Person;
let agentId: string;
let receiverId: string;
let resources: ReplayResources;

const call = (tool: ToolName, args: object, requestId = createId()): Promise<ToolResult> =>
  stack.agents.callTool({ id: agentId, as: ada.as }, tool, args, requestId);
const run: RunTool = (tool, args) => call(tool, args);

beforeAll(async () => {
  const { people, agents } = stack;
  ada = await people.newPerson();
  agentId = (await agents.foreground(ada)).id;
  const otherAgent = await agents.foreground(ada, 'other');
  for (const name of otherAgentsChannels)
    await agents.callTool(otherAgent, 'channel_create', { name });
  const newFriend = async (): Promise<Person> => {
    const friend = await people.newPerson();
    await people.befriend(ada, friend);
    return friend;
  };
  receiver = await newFriend();
  receiverId = (await agents.foreground(receiver)).id;
  const nametags: string[] = [];
  for (let count = 0; count < 5; count += 1) nametags.push((await newFriend()).nametag);
  const [share, unshare, remove, block, blocked] = nametags as [
    string,
    string,
    string,
    string,
    string,
  ];
  const newSubuser = async (): Promise<string> =>
    (await run('subuser_create', { name: 'Helper', systemPrompt: 'Help.' }))['subuserId']!;
  resources = {
    agentId,
    friends: { send: receiver.nametag, share, unshare, remove, block },
    blocked,
    stranger: (await people.newPerson()).nametag,
    subusers: {
      share: await newSubuser(),
      unshare: await newSubuser(),
      change: await newSubuser(),
      rename: await newSubuser(),
      delete: await newSubuser(),
    },
  };
}, 60_000);

/** Returns the topology, or undefined until every gateway has received its subuser's name in a message. */
async function topologyWithNames(): Promise<Topology | undefined> {
  const request = { includeDead: false, pageSize: 0, pageToken: '' };
  const format = TopologyFormat.UNSPECIFIED;
  const { topology } = await stack.topology.getTopology({ ...request, format }, ada.as);
  const labels = new Map(topology?.agents?.agents.map(({ id, label }) => [id, label]));
  const isNamed = topology?.subusers?.subusers.every(
    ({ gatewayAgentId, name }) => gatewayAgentId === '' || labels.get(gatewayAgentId) === name,
  );
  return isNamed ? topology : undefined;
}

/** Reads the data that the tools have changed, without fields that also change without any tool call. */
async function readState(): Promise<unknown> {
  const lists: readonly [ToolName, object][] = [
    ['friend_list', {}],
    ['subuser_list', {}],
    ['cron_list', {}],
    ['heartbeat_list', {}],
    ['expose_list', {}],
    ['file_list', { path: 'home' }],
    ['file_search', { query: 'old' }],
    ['file_search', { query: 'newer' }],
    ['memory_list', {}],
    ['memory_search', { query: 'newer' }],
  ];
  const topology = await eventually(topologyWithNames);
  const listed = await Promise.all(lists.map(([tool, args]) => run(tool, args)));
  const agents = topology.agents?.agents.map(({ id, label }) => `${id} ${label}`).sort();
  const { channels, signalSubscriptions } = topology;
  const descriptors = await stack
    .db('agent-runtime')
    .collection('agents')
    .find({ ownerUserId: ada.id })
    .map((agent) => agent['descriptor'] as unknown)
    .toArray();
  const { files } = await stack.runtime.listFiles({ pageSize: 0, pageToken: '' }, ada.as);
  return { listed, agents, channels, signalSubscriptions, descriptors, files };
}

/** Deletes results, as if the process had been killed after the effect of each call and before recording its result. */
async function forgetResults(): Promise<void> {
  const calls = stack.db('agent-runtime').collection('tool_calls');
  await calls.deleteMany({ userId: ada.id, beforeJson: '' });
  await calls.updateMany({ userId: ada.id }, { $unset: { resultJson: '' } });
}

describe('tool calls with the request id of an earlier call', () => {
  it('the test has a call for every tool that changes something', () => {
    expect(Object.keys(replayedCalls).sort()).toEqual([...changingTools].sort());
  });

  /** The calls made so far. No call uses a resource that another call has changed. */
  const madeCalls = new Map<ToolName, MadeCall>();
  const retryAll = async (): Promise<void> => {
    for (const [tool, { args, requestId }] of madeCalls) await call(tool, args, requestId);
  };

  it('retried tool calls change nothing, even if their results were not recorded', async () => {
    const { tools } = await stack.runtime.listTools(
      { agentId, pageSize: 1_000, pageToken: '' },
      ada.as,
    );
    const available = changingTools.filter((tool) => tools.some(({ name }) => name === tool));
    expect(changingTools.filter((tool) => !available.includes(tool))).toEqual(['exec']);
    for (const tool of available) {
      const prepared = (await replayedCalls[tool]!.prepare?.(run, resources)) ?? {};
      const args = replayedCalls[tool]!.args(resources, prepared);
      const requestId = createId();
      const result = { ...prepared, ...(await call(tool, args, requestId)) };
      madeCalls.set(tool, { args, requestId, result });
    }
    const stateAfterCalls = await readState();
    await retryAll();
    expect(await readState()).toEqual(stateAfterCalls);
    await forgetResults();
    await retryAll();
    expect(await readState()).toEqual(stateAfterCalls);
  }, 60_000);

  it('retried tool calls do not undo newer changes, even if the calls’ results were not recorded', async () => {
    for (const [tool, { result }] of madeCalls)
      await replayedCalls[tool]!.beforeRetry?.(run, result, resources);
    const newerState = await readState();
    await retryAll();
    expect(await readState()).toEqual(newerState);
    await forgetResults();
    const failed: string[] = [];
    for (const [tool, { args, requestId }] of madeCalls)
      await call(tool, args, requestId).catch((error: unknown) =>
        failed.push(`${tool}: ${toAppError(error).code}`),
      );
    // What these calls created was deleted before the retry, and the retry does not create it again.
    const creating = ['cron_add', 'heartbeat_add', 'subuser_create'];
    expect(failed.sort()).toEqual(creating.map((tool) => `${tool}: NOT_FOUND`));
    expect(await readState()).toEqual(newerState);
  }, 60_000);

  it('the messages that the retried calls of friend_send and send_agent_message sent, and the reset, have arrived once', async () => {
    await run('friend_send', { nametag: receiver.nametag, message: 'the end' });
    await run('send_agent_message', { agentId, text: 'the end' });
    const received = async (person: Person, id: string): Promise<string[]> =>
      eventually(async () => {
        const lines = (await historyOf(stack.runtime, person, id)).map(summaryOf);
        return lines.some((line) => line.includes('the end')) && lines;
      });
    const count = (lines: string[], text: string): number =>
      lines.filter((line) => line.includes(text) && !line.startsWith('agent:')).length;
    expect(count(await received(receiver, receiverId), 'sent once')).toBe(1);
    const own = await received(ada, agentId);
    expect(count(own, 'told once')).toBe(1);
    expect(own.filter((line) => line.startsWith('reset')).length).toBe(1);
  });
});
