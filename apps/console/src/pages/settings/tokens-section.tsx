import type { PersonalAccessToken } from '@daycare/contracts/identity';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { useResource } from '../../data/resource';
import { topology } from '../../data/topology';
import { AskFirst } from '../../ui/ask-first';
import { Button } from '../../ui/button';
import { Card, Section } from '../../ui/layout';
import { EmptyState, Loaded } from '../../ui/states';
import { Clock, Time } from '../../ui/time/time';
import { NewToken } from './new-token';

/** The access tokens with which programs act for the person. */
export function TokensSection() {
  const [isOpen, setOpen] = useState(false);
  const tokens = useResource(
    async (signal) => (await daycare.rpc.identity.listAccessTokens({}, { signal })).tokens,
  );
  return (
    <Section
      title="Access tokens"
      actions={<Button onClick={() => setOpen(true)}>New token</Button>}
    >
      <NewToken
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onCreated={() => void tokens.reload()}
      />
      <Loaded resource={tokens} lines={1}>
        {(loaded) =>
          loaded.length === 0 ? (
            <EmptyState title="No access tokens">
              <p>
                A program, such as a script or a bot, acts for you with a token that can do only
                what you allow.
              </p>
            </EmptyState>
          ) : (
            <ul class="cards">
              {loaded.map((token) => (
                <li key={token.id}>
                  <TokenCard token={token} onRevoked={() => void tokens.reload()} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

interface TokenCardProps {
  readonly token: PersonalAccessToken;
  readonly onRevoked: () => void;
}

function TokenCard({ token, onRevoked }: TokenCardProps) {
  const { id: tokenId, name, scopes, subuserId, createdAt, expiresAt, lastUsedAt } = token;
  const subusers = topology.value?.subusers?.subusers ?? [];
  const subuser = subusers.find((each) => each.subuserId === subuserId)?.name ?? subuserId;
  const revoke = useAction(async () => {
    await daycare.rpc.identity.revokeAccessToken({ tokenId });
    onRevoked();
    return `${name} was revoked. Programs that use it no longer have access.`;
  });
  return (
    <Card
      actions={
        <AskFirst
          action={revoke}
          title={`Revoke ${name}?`}
          text="Programs that use it lose access immediately. A revoked token cannot be restored."
          verb="Revoke"
        >
          Revoke <span class="hidden">{name}</span>
        </AskFirst>
      }
    >
      <p>
        <strong>{name}</strong>{' '}
        {scopes.map((scope) => (
          <code key={scope} class="scope">
            {scope}
          </code>
        ))}
      </p>
      <p class="muted small">
        {subuserId !== '' && `As ${subuser}. `}
        Created <Time at={createdAt} />;{' '}
        {lastUsedAt ? (
          <>
            last used <Time at={lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
        ; expires <Clock at={expiresAt} />.
      </p>
    </Card>
  );
}
