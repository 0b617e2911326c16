import type { Daycare } from '@daycare/client/browser';
import type { StuckAgent } from '@daycare/contracts/agent-runtime';
import { Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time/time';
import { usePolled } from './use-polled';

const request = { minAgeMs: 60_000, pageSize: 100 };

/** Agents whose oldest item has been waiting for more than a minute. */
export function StuckSection({ daycare }: { readonly daycare: Daycare }) {
  const agents = usePolled(
    async (signal) => (await daycare.rpc.agentRuntime.listStuckAgents(request, { signal })).agents,
    [daycare],
  );
  return (
    <Section title="Stuck agents">
      <Loaded resource={agents} lines={1}>
        {(loaded) =>
          loaded.length === 0 ? (
            <EmptyState title="No agent is stuck">
              <p>An agent appears here when an item has been waiting for it for over a minute.</p>
            </EmptyState>
          ) : (
            <Table
              caption="Stuck agents"
              rows={loaded}
              keyOf={({ agentId }) => agentId}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

const columns: readonly Column<StuckAgent>[] = [
  { title: 'Agent', cell: ({ agentId }) => <code>{agentId}</code> },
  { title: 'User', cell: ({ userId }) => <code>{userId}</code> },
  { title: 'Oldest item', cell: ({ oldestItemAt }) => <Time at={oldestItemAt} /> },
  { title: 'Waiting for', cell: ({ waitingFor }) => waitingFor || 'unknown' },
  {
    title: 'Replica',
    cell: ({ replicaId }) => (replicaId === '' ? 'none' : <code>{replicaId}</code>),
  },
];
