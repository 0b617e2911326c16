import { SignalState, type Signal, type SignalSubscription } from '@daycare/contracts/topology';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { agentName } from '../../data/agent-names';
import { reloadMs, useReloadOn, useResource } from '../../data/resource';
import { topology } from '../../data/topology';
import { Button } from '../../ui/button';
import { Badge, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Moment } from '../../ui/time/time';

const shownSignals = 20;

/** Which agents receive which signals, and the latest signals. */
export function SignalSection({
  subscriptions,
}: {
  readonly subscriptions: readonly SignalSubscription[];
}) {
  const signals = useResource(async (signal) => {
    const request = {
      pageSize: shownSignals,
      pageToken: '',
      pattern: '',
      state: SignalState.UNSPECIFIED,
    };
    return (await daycare.rpc.topology.listSignals(request, { signal })).signals;
  });
  useReloadOn(signals, topology.value?.revision, reloadMs);
  return (
    <Section title="Signals" count={subscriptions.length}>
      {subscriptions.length === 0 ? (
        <EmptyState title="No subscriptions">
          <p>
            Agents announce events to each other as signals, such as “build:done”. Ask an agent to
            subscribe to one.
          </p>
        </EmptyState>
      ) : (
        <Table
          caption="Subscriptions"
          rows={subscriptions}
          keyOf={({ agentId, pattern }) => `${agentId} ${pattern}`}
          columns={subscriptionColumns}
        />
      )}
      <Loaded resource={signals} lines={1}>
        {(latest) =>
          latest.length > 0 && (
            <details class="more">
              <summary>Latest signals</summary>
              <Table
                caption="Signals"
                rows={latest}
                keyOf={({ id }) => id}
                columns={signalColumns}
              />
            </details>
          )
        }
      </Loaded>
    </Section>
  );
}

const subscriptionColumns: readonly Column<SignalSubscription>[] = [
  { title: 'Signal', cell: ({ pattern }) => <code>{pattern}</code> },
  {
    title: 'Received by',
    cell: ({ agentId }) => <a href={`/agents/${agentId}`}>{agentName(agentId)}</a>,
  },
  { title: 'Starts a turn', cell: ({ silent }) => (silent ? 'No' : 'Yes') },
  { title: 'Action', cell: (subscription) => <Unsubscribe subscription={subscription} /> },
];

const signalColumns: readonly Column<Signal>[] = [
  { title: 'Signal', cell: ({ type }) => <code>{type}</code> },
  { title: 'From', cell: ({ agentId }) => (agentId === '' ? 'You' : agentName(agentId)) },
  {
    title: 'When',
    cell: ({ dueAt, state }) => (
      <>
        <Moment at={dueAt} /> {state === SignalState.WAITING && <Badge>Waiting</Badge>}
      </>
    ),
  },
];

function Unsubscribe({
  subscription: { pattern, agentId },
}: {
  readonly subscription: SignalSubscription;
}) {
  const remove = useAction(async (requestId) => {
    await daycare.rpc.topology.unsubscribeSignal({ requestId, pattern, agentId });
    return 'Unsubscribed.';
  });
  return (
    <Button kind="quiet" busy={remove.isBusy} onClick={() => void remove.run()}>
      Unsubscribe{' '}
      <span class="hidden">
        {agentName(agentId)} from {pattern}
      </span>
    </Button>
  );
}
