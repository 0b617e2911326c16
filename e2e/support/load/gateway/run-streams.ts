import { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { createRpcClient } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import type { Runtime, Topology } from '../../clients/clients';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { heapGrowthOf } from '../contexts/memory-growth';
import type { MemoryGauge, MemoryReading } from '../contexts/replica-memory';
import { AgentStream, nameInRound, TopologyStream, type WatchingStream } from './watching-streams';

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
  /** The gateway's memory after each round. */
  readonly memory: readonly MemoryReading[];
  readonly faults: readonly string[];
}

const personCount = 50;
/** There is one reading per round; this many are enough to judge the heap. */
const roundCount = 24;
/** How long the waiting streams may all go without making progress; a busy machine is slow. */
const maxSilenceMs = 120_000;
/** How many streams are opened at a time; opening all of them together would measure how the services handle a rush. */
const waveSize = 250;
/** A connection accepts at most a thousand streams. */
const streamsPerConnection = 500;
/** Every 25th stream of each person shows their topology, which is composed for each watcher. */
const isTopology = (index: number): boolean => index % 25 === 0;

const desk = { connector: 'cli', channelId: 'desk' };

interface Talker {
  readonly person: Person;
  readonly agentId: string;
  readonly subuserId: string;
}

/** Opens streams through one gateway, and makes something arrive on each of them in every round. */
export async function runStreams(options: StreamsOptions): Promise<StreamsFigures> {
  const { stack, gateway, gauge, streams: count, signal, report } = options;
  const talkers = await Promise.all(
    (await stack.people.newPeople(personCount)).map((person) => prepare(stack, person)),
  );
  const endOfRun = new AbortController();
  const connections = connect(gateway.address, count);
  const streams: WatchingStream[] = [];
  const memory: MemoryReading[] = [];
  const faults: string[] = [];
  try {
    while (streams.length < count && faults.length === 0 && !signal.aborted) {
      const size = Math.min(waveSize, count - streams.length);
      for (let opened = 0; opened < size; opened += 1)
        streams.push(openStream(streams.length, connections, talkers, endOfRun.signal));
      faults.push(...(await waitForRound(streams, 1)));
    }
    for (let round = 1; round <= roundCount && faults.length === 0 && !signal.aborted; round += 1) {
      if (round > 1) await Promise.all(talkers.map((talker) => playRound(stack, talker, round)));
      faults.push(...(await waitForRound(streams, round)));
      const reading = await gauge.read(gateway.pid);
      memory.push(reading);
      report(`round ${round}: heap ${reading.heap} MiB, resident ${reading.resident} MiB`);
    }
  } finally {
    endOfRun.abort();
    for (const { runtime, topology } of connections)
      [runtime, topology].forEach((client) => client.close());
  }
  const topologyStreams = streams.filter((stream) => stream instanceof TopologyStream).length;
  return {
    agentStreams: streams.length - topologyStreams,
    topologyStreams,
    rounds: memory.length,
    memory,
    faults: [...faults, ...heapGrowthOf(memory)],
  };
}

/** Plays the first round: an agent gives its first answer, and a subuser is created. */
async function prepare(stack: Stack, person: Person): Promise<Talker> {
  const daycare = stack.people.clientOf(person);
  const { id: subuserId } = await daycare.subusers.create({ name: nameInRound(1) });
  const { agentId } = await daycare.agent(desk).ask('round 1');
  return { person, agentId, subuserId };
}

/** Plays a later round: the agent gives another answer, and the subuser gets a new name. */
async function playRound(
  { people }: Stack,
  { person, subuserId }: Talker,
  round: number,
): Promise<void> {
  const daycare = people.clientOf(person);
  // With thousands of watchers, a call may take longer than usual on a busy machine.
  const patient = { timeoutMs: maxSilenceMs };
  await daycare.agent(desk).send(`round ${round}`, patient);
  await daycare.subusers.rename(subuserId, nameInRound(round), patient);
}

interface Connection {
  readonly runtime: Runtime;
  readonly topology: Topology;
}

function connect(address: string, count: number): Connection[] {
  const options = { address, ownConnections: true, timeoutMs: maxSilenceMs };
  return Array.from({ length: Math.ceil(count / streamsPerConnection) }, () => ({
    runtime: createRpcClient(AgentRuntimeServiceService, options),
    topology: createRpcClient(TopologyServiceService, options),
  }));
}

function openStream(
  index: number,
  connections: readonly Connection[],
  talkers: readonly Talker[],
  signal: AbortSignal,
): WatchingStream {
  const { person, agentId } = talkers[index % talkers.length]!;
  const { runtime, topology } = connections[index % connections.length]!;
  return isTopology(Math.floor(index / talkers.length))
    ? new TopologyStream(topology, person, signal)
    : new AgentStream(runtime, person, agentId, signal);
}

/** Waits until every stream has received everything of this round; returns the faults, if there are any. */
async function waitForRound(streams: readonly WatchingStream[], round: number): Promise<string[]> {
  const faultsOf = () => [...new Set(streams.flatMap(({ fault }) => fault ?? []))].slice(0, 5);
  const countLate = () => streams.filter((stream) => !stream.has(round)).length;
  for (let late = countLate(); late > 0;) {
    const hasProgress = () => faultsOf().length > 0 || countLate() < late;
    const waiting = eventually(hasProgress, { timeoutMs: maxSilenceMs, intervalMs: 250 });
    if (!(await waiting.catch(() => false)))
      return [`${late} streams have not received everything from round ${round}`];
    if (faultsOf().length > 0) return faultsOf();
    late = countLate();
  }
  return faultsOf();
}
