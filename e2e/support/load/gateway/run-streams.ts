import { createId } from '@daycare/api/create-id';
import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { createRpcClient } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { post } from '../../people/history';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { heapGrowthOf } from '../contexts/memory-growth';
import type { MemoryGauge, MemoryReading } from '../contexts/replica-memory';
import { AgentStream, nameIn, TopologyStream, type WatchingStream } from './watching-streams';

export interface StreamsOptions {
  readonly stack: Stack;
  readonly gateway: { readonly address: string; readonly pid: number };
  readonly gauge: MemoryGauge;
  readonly streams: number;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

export interface StreamsFigures {
  readonly agentStreams: number;
  readonly topologyStreams: number;
  readonly rounds: number;
  /** Of the gateway after each round. */
  readonly memory: readonly MemoryReading[];
  readonly faults: readonly string[];
}

const personCount = 50;
/** As many readings as it takes to judge the heap. */
const roundCount = 24;
const roundTimeoutMs = 120_000;
/** A connection takes at most a thousand streams. */
const streamsPerConnection = 500;
/** Every fifth stream shows a topology, which is composed for each watcher. */
const isTopology = (index: number): boolean => index % 5 === 0;

interface Talker {
  readonly person: Person;
  readonly agentId: string;
  readonly subuserId: string;
}

/** Opens streams through one gateway, and has something arrive on each of them in every round. */
export async function runStreams(options: StreamsOptions): Promise<StreamsFigures> {
  const { stack, gateway, gauge, streams: count, signal, report } = options;
  const talkers = await Promise.all(
    (await stack.people.newPeople(personCount)).map((person) => prepare(stack, person)),
  );
  const over = new AbortController();
  const { streams, close } = openStreams(gateway.address, talkers, count, over.signal);
  const memory: MemoryReading[] = [];
  const faults: string[] = [];
  try {
    for (let round = 1; round <= roundCount && !signal.aborted; round += 1) {
      if (round > 1) await Promise.all(talkers.map((talker) => talk(stack, talker, round)));
      faults.push(...(await waitForRound(streams, round)));
      if (faults.length > 0) break;
      const reading = await gauge.read(gateway.pid);
      memory.push(reading);
      report(`round ${round}: heap ${reading.heap} MiB, resident ${reading.resident} MiB`);
    }
  } finally {
    over.abort();
    close();
  }
  const topologyStreams = streams.filter((stream) => stream instanceof TopologyStream).length;
  return {
    agentStreams: count - topologyStreams,
    topologyStreams,
    rounds: memory.length,
    memory,
    faults: [...faults, ...heapGrowthOf(memory)],
  };
}

/** The first round: an agent that has answered, and a subuser. */
async function prepare(stack: Stack, person: Person): Promise<Talker> {
  const daycare = stack.people.clientOf(person);
  const { id: subuserId } = await daycare.subusers.create({ name: nameIn(1) });
  const agent = daycare.agent({ connector: 'cli', channelId: 'desk' });
  const { agentId } = await agent.ask('round 1');
  return { person, agentId, subuserId };
}

async function talk(
  { runtime, people }: Stack,
  { person, subuserId }: Talker,
  round: number,
): Promise<void> {
  await runtime.postMessage(post(`round ${round}`, 'desk', createId()), person.as);
  await people.clientOf(person).subusers.rename(subuserId, nameIn(round));
}

function openStreams(
  address: string,
  talkers: readonly Talker[],
  count: number,
  signal: AbortSignal,
) {
  const options = { address, ownConnections: true, timeoutMs: roundTimeoutMs };
  const connections = Array.from({ length: Math.ceil(count / streamsPerConnection) }, () => ({
    runtime: createRpcClient(AgentRuntimeServiceService, options),
    topology: createRpcClient(TopologyServiceService, options),
  }));
  const streams = Array.from({ length: count }, (_, index): WatchingStream => {
    const { person, agentId } = talkers[index % talkers.length]!;
    const { runtime, topology } = connections[index % connections.length]!;
    return isTopology(Math.floor(index / talkers.length))
      ? new TopologyStream(topology, person, signal)
      : new AgentStream(runtime, person, agentId, signal);
  });
  const close = (): void =>
    connections.forEach(({ runtime, topology }) => [runtime, topology].forEach((c) => c.close()));
  return { streams, close };
}

/** Until every stream has everything; what is wrong otherwise. */
async function waitForRound(streams: readonly WatchingStream[], round: number): Promise<string[]> {
  const faultsOf = () => [...new Set(streams.flatMap(({ fault }) => fault ?? []))].slice(0, 5);
  const isComplete = () =>
    faultsOf().length > 0 || streams.every((stream) => stream.has(round)) || undefined;
  await eventually(isComplete, { timeoutMs: roundTimeoutMs }).catch(() => undefined);
  const late = streams.filter((stream) => !stream.has(round)).length;
  const found = faultsOf();
  return late > 0 && found.length === 0
    ? [`${late} streams lack records of round ${round}`]
    : found;
}
