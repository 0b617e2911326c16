import type { Daycare } from '@daycare/client/browser';
import type { Replica, Shard } from '@daycare/contracts/agent-runtime';
import { useAction } from '../../data/action';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Badge, Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Table, type Column } from '../../ui/table';
import { Time } from '../../ui/time/time';
import { asOperator } from './operator-session';
import { usePolled } from './use-polled';

interface Row {
  readonly replica: Replica;
  readonly waitingAgents: number;
  readonly oldestItemAt: Date | undefined;
}

/** The replicas that run agents, and the work waiting in their shards. */
export function ShardSection({ daycare }: { readonly daycare: Daycare }) {
  const shards = usePolled(
    (signal) => daycare.rpc.agentRuntime.listShards({}, { signal }),
    [daycare],
  );
  return (
    <Section title="agent-runtime replicas">
      <Loaded resource={shards} lines={1}>
        {({ shards: all, replicas }) => (
          <>
            <UnheldShards shards={all} />
            <Table
              caption="Replicas"
              rows={replicas.map((replica) => rowOf(replica, all))}
              keyOf={({ replica }) => replica.id}
              columns={columnsFor(daycare, () => void shards.reload())}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function UnheldShards({ shards }: { readonly shards: readonly Shard[] }) {
  const unheld = shards.filter(({ replicaId }) => replicaId === '');
  if (unheld.length === 0) return null;
  return (
    <p class="notice" role="status">
      {unheld.length} of {shards.length} shards are held by no replica, so their agents are not
      running.
    </p>
  );
}

function rowOf(replica: Replica, shards: readonly Shard[]): Row {
  const held = shards.filter(({ replicaId }) => replicaId === replica.id);
  const times = held.flatMap(({ oldestItemAt }) => oldestItemAt ?? []);
  return {
    replica,
    waitingAgents: held.reduce((sum, { waitingAgents }) => sum + waitingAgents, 0),
    oldestItemAt: times.sort((one, other) => one.getTime() - other.getTime())[0],
  };
}

function columnsFor(daycare: Daycare, onChanged: () => void): readonly Column<Row>[] {
  return [
    { title: 'Replica', cell: ({ replica }) => <code>{replica.id}</code> },
    { title: 'Shards', isNumber: true, cell: ({ replica }) => replica.shards },
    { title: 'Agents with work', isNumber: true, cell: ({ waitingAgents }) => waitingAgents },
    { title: 'Oldest item', cell: ({ oldestItemAt }) => <Time at={oldestItemAt} /> },
    { title: 'State', cell: ({ replica }) => <State replica={replica} /> },
    { title: 'Action', cell: ({ replica }) => <Drain {...{ daycare, replica, onChanged }} /> },
  ];
}

function State({ replica: { leaving, drained } }: { readonly replica: Replica }) {
  if (drained) return <Badge kind="warn">Drained</Badge>;
  return leaving ? <Badge kind="warn">Leaving</Badge> : <Badge kind="good">Running agents</Badge>;
}

interface DrainProps {
  readonly daycare: Daycare;
  readonly replica: Replica;
  readonly onChanged: () => void;
}

function Drain({ daycare, replica: { id: replicaId, drained }, onChanged }: DrainProps) {
  const change = async (requestId: string, resume: boolean): Promise<void> => {
    await asOperator(() => daycare.rpc.agentRuntime.drainReplica({ requestId, replicaId, resume }));
    onChanged();
  };
  const drain = useAction(async (requestId) => {
    await change(requestId, false);
    return `${replicaId} is handing over its shards and starts no more turns.`;
  });
  const resume = useAction(async (requestId) => {
    await change(requestId, true);
    return `${replicaId} is taking shards again.`;
  });
  if (drained)
    return (
      <Button kind="quiet" busy={resume.isBusy} onClick={() => void resume.run()}>
        Resume <span class="hidden">{replicaId}</span>
      </Button>
    );
  return (
    <AskFirst
      action={drain}
      title={`Drain ${replicaId}?`}
      text="It hands over its shards to the other replicas and starts no more turns until you resume it. If there is no other replica, agents do not run."
      verb="Drain"
      kind="quiet"
    >
      Drain <span class="hidden">{replicaId}</span>
    </AskFirst>
  );
}
