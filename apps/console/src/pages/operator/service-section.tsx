import type { Daycare } from '@daycare/client/browser';
import type { ServiceStatus } from '@daycare/contracts/common';
import { describeError } from '../../data/client';
import { Badge, Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time/time';
import { usePolled } from './use-polled';

const services = ['identity', 'socialGraph', 'agentRuntime', 'topology'] as const;
const names = {
  identity: 'identity',
  socialGraph: 'social-graph',
  agentRuntime: 'agent-runtime',
  topology: 'topology',
};

interface Row {
  readonly name: string;
  readonly status: ServiceStatus | undefined;
  readonly problems: readonly string[];
}

/** Shows the health, the version and the outbox of each service. */
export function ServiceSection({ daycare }: { readonly daycare: Daycare }) {
  const rows = usePolled(
    (signal) => Promise.all(services.map((name) => readStatus(daycare, name, signal))),
    [daycare],
  );
  return (
    <Section title="Services">
      <Loaded resource={rows} lines={2}>
        {(loaded) => (
          <Table caption="Services" rows={loaded} keyOf={({ name }) => name} columns={columns} />
        )}
      </Loaded>
    </Section>
  );
}

/** Reads a service's status. A service that is not responding gets a row as well, with the error. */
async function readStatus(
  daycare: Daycare,
  service: (typeof services)[number],
  signal: AbortSignal,
): Promise<Row> {
  const name = names[service];
  try {
    const { status } = await daycare.rpc[service].getServiceStatus({}, { signal });
    return { name, status, problems: status?.problems ?? [] };
  } catch (error) {
    if (signal.aborted) throw error;
    return { name, status: undefined, problems: [describeError(error)] };
  }
}

const columns: readonly Column<Row>[] = [
  { title: 'Service', cell: ({ name }) => name },
  {
    title: 'State',
    cell: ({ problems }) =>
      problems.length === 0 ? (
        <Badge kind="good">Healthy</Badge>
      ) : (
        <Badge kind="bad">{problems.join(' ')}</Badge>
      ),
  },
  { title: 'Version', cell: ({ status }) => status?.version ?? '' },
  { title: 'Started', cell: ({ status }) => <Time at={status?.startedAt} /> },
  {
    title: 'Outbox',
    isNumber: true,
    cell: ({ status }) => status?.outbox?.waiting.toLocaleString() ?? '',
  },
  { title: 'Oldest', cell: ({ status }) => <Time at={status?.outbox?.oldestAcceptedAt} /> },
];
