import { SectionStatus, TopologyFormat, TopologyServiceService } from '@daycare/contracts/topology';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import { seedLargeAccount, type LargeAccountSize } from '@daycare/testing';
import type { BenchStack } from '../../kit/bench-stack';
import type { Workload } from '../../kit/workload';
import { createPeople, type Person } from '../shared/people';

type TopologyClient = RpcClient<typeof TopologyServiceService>;

interface Scenario {
  readonly entries: number;
  readonly size: LargeAccountSize;
  readonly reach?: readonly number[];
}

const scenarios: readonly Scenario[] = [
  { entries: 100, size: { agents: 62, subusers: 6, friends: 32 } },
  { entries: 400, size: { agents: 250, subusers: 25, friends: 125 } },
  { entries: 1_600, size: { agents: 1_000, subusers: 100, friends: 500 }, reach: [1] },
];

/** Enough views for a median; each viewer requests only one. */
const coldViews = { warmUp: 60, measured: 40 };

/** Each call composes the view of the same account, in which nothing has changed since the previous call. */
const makeWarmWorkload = ({ entries, size, reach }: Scenario): Workload => ({
  name: `topology GetTopology, ${entries.toLocaleString('en-US')} entries, unchanged`,
  baseline: ['grpc-echo'],
  // With more concurrent calls, topology's calls to the other services exceed their timeout, and views are incomplete.
  inFlight: [1, 4],
  ...(reach ? { reach } : {}),
  async prepare(stack) {
    const [person] = await createAccounts(stack, 1, size);
    const topology = connectTopology(stack);
    return { run: () => view(topology, person!), close: async () => topology.close() };
  },
});

/** Each call composes the view of a different account, which topology has never seen. */
const makeColdWorkload = ({ entries, size, reach }: Scenario): Workload => ({
  name: `topology GetTopology, ${entries.toLocaleString('en-US')} entries, cold`,
  baseline: ['grpc-echo'],
  inFlight: [1],
  ...(reach ? { reach } : {}),
  async prepare(stack) {
    const { warmUp, measured } = coldViews;
    const people = await createAccounts(stack, warmUp + measured, size);
    const topology = connectTopology(stack);
    return {
      supply: coldViews,
      run: () => view(topology, people.pop()!),
      close: async () => topology.close(),
    };
  },
});

async function createAccounts(
  stack: BenchStack,
  count: number,
  size: LargeAccountSize,
): Promise<Person[]> {
  const people = await createPeople(stack, count);
  const databaseOf = (service: string): string => service;
  for (const person of people)
    await seedLargeAccount({ mongoUrl: stack.mongoUrl, databaseOf }, person, size);
  return people;
}

function connectTopology(stack: BenchStack): TopologyClient {
  const address = stack.addressOf('topology');
  return createRpcClient(TopologyServiceService, { address, timeoutMs: 20_000 });
}

async function view(topology: TopologyClient, person: Person): Promise<void> {
  const format = TopologyFormat.UNSPECIFIED;
  const request = { pageSize: 1_000, pageToken: '', includeDead: false, format };
  const { topology: shown } = await topology.getTopology(request, person.as);
  const sections = [shown?.agents, shown?.subusers, shown?.friends];
  if (sections.some((section) => section?.status !== SectionStatus.AVAILABLE))
    throw new Error('the topology is incomplete: a service did not respond in time');
}

export const getTopologyWorkloads: readonly Workload[] = scenarios.flatMap((scenario) => [
  makeColdWorkload(scenario),
  makeWarmWorkload(scenario),
]);
