import type { AgentSummary } from '@daycare/contracts/agent-runtime';
import { DescriptorKind } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { agentName } from '../../data/agent-names';
import { usePaints } from '../../data/timing/paints';
import { self, topology } from '../../data/topology';
import { Button, ButtonLink } from '../../ui/button';
import { Field } from '../../ui/field';
import { Badge, PageHead, Section } from '../../ui/layout';
import { EmptyState, Skeleton } from '../../ui/states';
import { Lifecycle } from '../conversation/parts/background-agents';
import { groupAgents } from './group-agents';

/** My agents and those of my subusers, except agents that have ended. */
export function AgentsPage() {
  const [searchText, setSearchText] = useState('');
  const view = topology.value;
  return (
    <>
      <PageHead
        title="Conversations"
        about="Your agents, and those of your subusers."
        actions={
          <ButtonLink href="/agents/new" kind="primary">
            New conversation
          </ButtonLink>
        }
      />
      {!view && <Skeleton />}
      {view && (view.agents?.agents.length ?? 0) === 0 && <NoAgents />}
      {view && (view.agents?.agents.length ?? 0) > 0 && (
        <>
          {(view.agents?.agents.length ?? 0) > 12 && (
            <Field label="Find" type="search" value={searchText} onValue={setSearchText} />
          )}
          <Groups
            agents={view.agents?.agents ?? []}
            subusers={view.subusers?.subusers ?? []}
            searchText={searchText}
          />
        </>
      )}
    </>
  );
}

function NoAgents() {
  return (
    <EmptyState title="You have no agents yet">
      <p>
        An agent is created with your first message. It has tools: it can remember, manage files,
        write to friends, and run things on a schedule.
      </p>
      <ButtonLink href="/agents/new" kind="primary">
        Start a conversation
      </ButtonLink>
    </EmptyState>
  );
}

function Groups({
  agents,
  subusers,
  searchText,
}: {
  readonly agents: readonly AgentSummary[];
  readonly subusers: readonly TopologySubuser[];
  readonly searchText: string;
}) {
  const nameOf = ({ id }: AgentSummary): string => agentName(id);
  const groups = groupAgents(agents, subusers, self.value?.userId ?? '', searchText, nameOf);
  // The first paint draws only the first two groups, usually my own agents, because they fill the window.
  const isPainted = usePaints(1) > 0;
  if (groups.length === 0) return <EmptyState title="No agent’s name matches." />;
  return (
    <>
      {(isPainted ? groups : groups.slice(0, 2)).map(({ title, isMine, agents: members }) => (
        <Section key={title} title={title} count={members.length}>
          <AgentList
            agents={members}
            initialCount={
              isMine
                ? initialCounts.mine
                : searchText === ''
                  ? initialCounts.subuser
                  : initialCounts.found
            }
          />
        </Section>
      ))}
    </>
  );
}

/**
 * How many of a group's agents are shown initially. A subuser needs only a few, because its gateway, to which people
 * write, comes first.
 */
const initialCounts = { mine: 30, subuser: 3, found: 10 };
const moreCount = 50;

function AgentList({
  agents,
  initialCount,
}: {
  readonly agents: readonly AgentSummary[];
  readonly initialCount: number;
}) {
  const [more, setMore] = useState(0);
  const shown = initialCount + more;
  return (
    <>
      <ul class="rows">
        {agents.slice(0, shown).map((agent) => (
          <li key={agent.id}>
            <a href={`/agents/${agent.id}`} class="row">
              <span class="row-title">{agentName(agent.id)}</span>
              {kindNames[agent.kind] && <Badge>{kindNames[agent.kind]}</Badge>}
              <Lifecycle agent={agent} />
            </a>
          </li>
        ))}
      </ul>
      {agents.length > shown && (
        <Button kind="quiet" onClick={() => setMore(more + moreCount)}>
          Show {Math.min(moreCount, agents.length - shown)} more
        </Button>
      )}
    </>
  );
}

const kindNames: Readonly<Partial<Record<DescriptorKind, string>>> = {
  [DescriptorKind.SUBUSER]: 'Gateway',
  [DescriptorKind.PERMANENT]: 'Permanent',
  [DescriptorKind.APP]: 'App',
  [DescriptorKind.SUBAGENT]: 'Background',
  [DescriptorKind.CRON]: 'Schedule',
  [DescriptorKind.HEARTBEAT]: 'Heartbeat',
};
