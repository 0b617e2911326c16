import { SectionStatus, TopologyServiceService } from '@daycare/contracts/topology';
import { createRpcClient } from '@daycare/rpc';
import { storeHousehold, type HouseholdSize } from '@daycare/testing';
import type { Workload } from '../workload';
import { createPeople } from './people';

const large: HouseholdSize = { agents: 1_000, subusers: 100, friends: 500 };
const huge: HouseholdSize = { agents: 10_000, subusers: 1_000, friends: 5_000 };

/** Each call composes the view of one user who has that much, and shows its first page. */
const makeWorkload = (size: HouseholdSize): Workload => ({
  name: `topology GetTopology, ${describeSize(size)}`,
  baseline: ['grpc-echo'],
  // More at once take longer than owners of facts are waited for, and are answered without them.
  inFlight: [1, 4],
  async prepare(stack) {
    const [person] = await createPeople(stack, 1);
    const databaseOf = (service: string): string => service;
    await storeHousehold({ mongoUrl: stack.mongoUrl, databaseOf }, person!, size);
    const topology = createRpcClient(TopologyServiceService, {
      address: stack.addressOf('topology'),
      timeoutMs: 20_000,
    });
    const request = { pageSize: 1_000, pageToken: '', includeDead: false };
    return {
      async run() {
        const { topology: view } = await topology.getTopology(request, person!.as);
        const sections = [view?.agents, view?.subusers, view?.friends];
        if (sections.some((section) => section?.status !== SectionStatus.AVAILABLE))
          throw new Error('some owner of facts did not answer in time');
      },
      close: async () => topology.close(),
    };
  },
});

function describeSize({ agents, subusers, friends }: HouseholdSize): string {
  const [first, second, third] = [agents, subusers, friends].map((n) => n.toLocaleString('en'));
  return `${first!} agents, ${second!} subusers, ${third!} friends`;
}

export const getTopologyWorkloads: readonly Workload[] = [large, huge].map(makeWorkload);
