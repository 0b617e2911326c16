import type { Grant } from '@daycare/contracts/agent-runtime';
import { useAction } from '../../data/action';
import { displayName } from '../../data/agent-names';
import { daycare } from '../../data/client';
import { collectPages } from '../../data/paging/pages';
import { useResource } from '../../data/resource';
import { Button } from '../../ui/button';
import { describeTrust } from '../../ui/describe-trust';
import { Badge, Card, Section } from '../../ui/layout';
import { revealHidden } from '../../ui/reveal-hidden';
import { TruncatedNotice, EmptyState, Loaded } from '../../ui/states';
import { Time } from '../../ui/time/time';

/** Tools and permissions that agents may use until the grant expires or the person revokes it. */
export function GrantsSection() {
  const grants = useResource((signal) =>
    collectPages(async (page) => {
      const response = await daycare.rpc.agentRuntime.listGrants(
        { ...page, agentId: '' },
        { signal },
      );
      return { items: response.grants, nextPageToken: response.nextPageToken };
    }),
  );
  return (
    <Section title="Allowed">
      <Loaded resource={grants} lines={1}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <EmptyState title="Nothing is allowed in advance">
              <p>
                Tools that you “Always allow” in the inbox, and permissions that you “Allow”, are
                listed here until they expire or you revoke them.
              </p>
            </EmptyState>
          ) : (
            <>
              <ul class="cards">
                {items.map((grant) => (
                  <li key={grant.id}>
                    <GrantCard grant={grant} onRevoked={() => void grants.reload()} />
                  </li>
                ))}
              </ul>
              <TruncatedNotice items={items} hasMore={hasMore} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function GrantCard({
  grant,
  onRevoked,
}: {
  readonly grant: Grant;
  readonly onRevoked: () => void;
}) {
  const { id: grantId, agentId, agentLabel, subject, trust, coversPrivate, createdAt } = grant;
  const name = revealHidden(displayName(agentLabel));
  const revoke = useAction(async (requestId) => {
    await daycare.rpc.agentRuntime.revokeGrant({ requestId, grantId });
    onRevoked();
    return 'Revoked.';
  });
  return (
    <Card
      actions={
        <Button kind="danger" busy={revoke.isBusy} onClick={() => void revoke.run()}>
          Revoke{' '}
          <span class="hidden">
            {subject?.value} for {name}
          </span>
        </Button>
      }
    >
      <p>
        <a href={`/agents/${agentId}`}>
          <bdi>{name}</bdi>
        </a>{' '}
        may use <code>{revealHidden(subject?.value ?? '')}</code>
      </p>
      <p class="muted small">
        Since <Time at={createdAt} />, for turns with at least this trust:{' '}
        <Badge kind={describeTrust(trust).kind}>{describeTrust(trust).text}</Badge>
        {coversPrivate && ', even after the agent has read private data'}.
      </p>
    </Card>
  );
}
