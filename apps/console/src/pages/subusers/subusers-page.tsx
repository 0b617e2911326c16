import { AgentLifecycle } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { topology } from '../../data/topology';
import { ownAgentId } from '../../data/tools';
import { Button, ButtonLink } from '../../ui/button';
import { Badge, Card, PageHead } from '../../ui/layout';
import { EmptyState, Skeleton } from '../../ui/states';
import { NewSubuser } from './new-subuser';
import { describeShares } from './describe-shares';
import { sharesOf } from './shares-of';

/** The person's subusers: applications that cannot see the person's other data. */
export function SubusersPage() {
  const [isOpen, setOpen] = useState(false);
  const subusers = topology.value?.subusers?.subusers;
  const hasAgent = ownAgentId.value !== undefined;
  return (
    <>
      <PageHead
        title="Subusers"
        about="Applications with their own agents, memory and files. You can share them with friends."
        actions={
          hasAgent && (
            <Button kind="primary" onClick={() => setOpen(true)}>
              New subuser
            </Button>
          )
        }
      />
      <NewSubuser isOpen={isOpen} onClose={() => setOpen(false)} />
      {!subusers ? (
        <Skeleton />
      ) : subusers.length === 0 ? (
        <NoSubusers hasAgent={hasAgent} />
      ) : (
        <SubuserList subusers={subusers} />
      )}
    </>
  );
}

function NoSubusers({ hasAgent }: { readonly hasAgent: boolean }) {
  return (
    <EmptyState title="No subusers yet">
      <p>
        A subuser is a separate assistant, e.g. a cook who knows your recipes. It cannot see your
        other data, and friends can use it if you share it.
      </p>
      {!hasAgent && (
        <p>
          <a href="/agents">Write to your agent</a> first: it creates subusers for you.
        </p>
      )}
    </EmptyState>
  );
}

function SubuserList({ subusers }: { readonly subusers: readonly TopologySubuser[] }) {
  return (
    <ul class="cards">
      {subusers.map((subuser) => (
        <li key={subuser.subuserId}>
          <SubuserCard subuser={subuser} />
        </li>
      ))}
    </ul>
  );
}

function SubuserCard({ subuser }: { readonly subuser: TopologySubuser }) {
  const { subuserId, name, nametag, gatewayAgentId, gatewayLifecycle } = subuser;
  return (
    <Card
      actions={
        <>
          {gatewayAgentId !== '' && (
            <ButtonLink href={`/agents/${gatewayAgentId}`}>Talk to it</ButtonLink>
          )}
          <ButtonLink
            kind={gatewayAgentId === '' ? 'plain' : 'quiet'}
            href={`/subusers/${subuserId}`}
          >
            Open
          </ButtonLink>
        </>
      }
    >
      <p>
        <a href={`/subusers/${subuserId}`}>
          <strong>{name}</strong>
        </a>{' '}
        {gatewayLifecycle === AgentLifecycle.ACTIVE && <Badge kind="good">Active</Badge>}
      </p>
      <p class="muted small">
        {nametag}
        {describeShares(sharesOf(subuserId))}
      </p>
    </Card>
  );
}
