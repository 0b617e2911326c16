import { ModelLevel } from '@daycare/contracts/agent-runtime';
import type { TopologySubuser } from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { topology } from '../../data/topology';
import { navigate } from '../../router/router';
import { Button, ButtonLink } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { PageHead, Section } from '../../ui/layout';
import { ModelChoice } from '../../ui/model-choice';
import { EmptyState, Skeleton } from '../../ui/states';
import type { PageProps } from '../../router/page-props';
import { BudgetSection } from '../usage/budget-section';
import { FileSection } from './file-section';
import { MemorySection } from './memory-section';
import { ProfileSection } from './profile-section';
import { ShareSection } from './share-section';
import { ToolPolicySection } from './tool-policy-section';

/** One subuser: its settings, the friends who use it, and what it has stored. */
export function SubuserPage({ params: { subuserId = '' } }: PageProps) {
  const view = topology.value;
  const subuser = view?.subusers?.subusers.find((each) => each.subuserId === subuserId);
  if (!view) return <Skeleton />;
  if (!subuser)
    return (
      <EmptyState title="There is no such subuser">
        <p>
          <a href="/subusers">All subusers</a>
        </p>
      </EmptyState>
    );
  return <Subuser key={subuserId} subuser={subuser} />;
}

function Subuser({ subuser }: { readonly subuser: TopologySubuser }) {
  const { subuserId, name, nametag, gatewayAgentId } = subuser;
  return (
    <>
      <PageHead
        title={name}
        about={<code>{nametag}</code>}
        actions={
          <>
            {gatewayAgentId !== '' && (
              <ButtonLink kind="primary" href={`/agents/${gatewayAgentId}`}>
                Talk to it
              </ButtonLink>
            )}
            <DeleteSubuser subuser={subuser} />
          </>
        }
      />
      <ProfileSection subuser={subuser} />
      <ShareSection subuserId={subuserId} />
      <Section title="Model">
        <ModelChoice target={{ userId: subuserId, agentId: '' }} ownLevel={ModelLevel.SUBUSER} />
      </Section>
      <BudgetSection userId={subuserId} />
      {gatewayAgentId !== '' && (
        <>
          <ToolPolicySection subuserId={subuserId} agentId={gatewayAgentId} />
          <MemorySection agentId={gatewayAgentId} />
          <FileSection agentId={gatewayAgentId} />
        </>
      )}
    </>
  );
}

function DeleteSubuser({ subuser: { subuserId, name } }: { readonly subuser: TopologySubuser }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction(async (requestId) => {
    await daycare.subusers.delete(subuserId, { requestId });
    navigate('/subusers');
    return `${name} was deleted.`;
  });
  return (
    <>
      <Button kind="danger" busy={remove.isBusy} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        title={`Delete ${name}?`}
        text="Its agents, conversations, memory and files are deleted, and friends can no longer use it. This cannot be undone."
        verb="Delete"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => void remove.run()}
      />
    </>
  );
}
