import {
  EndpointAuth,
  EndpointMode,
  type Endpoint,
  type EndpointTarget,
} from '@daycare/contracts/topology';
import { useState } from 'preact/hooks';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { agentName } from '../../data/agent-names';
import { AskFirst } from '../../ui/ask-first';
import { Dialog } from '../../ui/dialog';
import { Badge, Card, Section } from '../../ui/layout';
import { Secret } from '../../ui/secret';
import { EmptyState } from '../../ui/states';

const auths: Readonly<Partial<Record<EndpointAuth, string>>> = {
  [EndpointAuth.PASSWORD]: 'Password',
  [EndpointAuth.GITHUB]: 'GitHub signature',
  [EndpointAuth.STRIPE]: 'Stripe signature',
  [EndpointAuth.SLACK]: 'Slack signature',
};

/** My agents and programs that can be reached over HTTP. */
export function EndpointSection({ endpoints }: { readonly endpoints: readonly Endpoint[] }) {
  return (
    <Section title="Endpoints" count={endpoints.length}>
      {endpoints.length === 0 ? (
        <EmptyState title="No endpoints">
          <p>
            An endpoint makes one of your programs or agents reachable over HTTP, e.g. for webhooks.
            Create one with “daycare expose create”.
          </p>
        </EmptyState>
      ) : (
        <ul class="cards">
          {endpoints.map((endpoint) => (
            <li key={endpoint.id}>
              <EndpointCard endpoint={endpoint} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function EndpointCard({ endpoint }: { readonly endpoint: Endpoint }) {
  const { name, target, mode, auth, url } = endpoint;
  const isOpen = auth === EndpointAuth.NONE && mode !== EndpointMode.LOCAL_NETWORK;
  return (
    <Card actions={<EndpointActions endpoint={endpoint} />}>
      <p>
        <strong>{name}</strong>{' '}
        <Badge kind={isOpen ? 'warn' : 'good'}>
          {auths[auth] ?? (isOpen ? 'Open to anyone' : 'No password')}
        </Badge>{' '}
        {mode === EndpointMode.LOCAL_NETWORK && <Badge>Local network</Badge>}
      </p>
      <p class="small">
        {url !== '' && <code>{url}</code>}{' '}
        <span class="muted">leads to {describeTarget(target)}</span>
      </p>
    </Card>
  );
}

function describeTarget(target: EndpointTarget | undefined): string {
  const to = target?.target;
  if (to?.$case === 'agentId') return agentName(to.value);
  if (to?.$case === 'port') return `port ${to.value}`;
  return to?.value ?? 'nothing';
}

function EndpointActions({
  endpoint: { id: endpointId, name, auth },
}: {
  readonly endpoint: Endpoint;
}) {
  const [secret, setSecret] = useState('');
  const rotate = useAction(async (requestId) => {
    const unchanged = {
      name: '',
      mode: EndpointMode.UNSPECIFIED,
      auth: EndpointAuth.UNSPECIFIED,
      secret: '',
    };
    const request = { ...unchanged, requestId, endpointId, rotatePassword: true };
    const response = await daycare.rpc.topology.updateEndpoint(request);
    setSecret(response.password || response.secret);
    return undefined;
  });
  const remove = useAction(async (requestId) => {
    await daycare.rpc.topology.deleteEndpoint({ requestId, endpointId });
    return `${name} was deleted.`;
  });
  return (
    <>
      {auth !== EndpointAuth.NONE && (
        <AskFirst
          action={rotate}
          title={`Create a new secret for ${name}?`}
          text="The current secret stops working immediately for everyone who uses it."
          verb="Create"
          kind="quiet"
        >
          New secret <span class="hidden">for {name}</span>
        </AskFirst>
      )}
      <AskFirst
        action={remove}
        title={`Delete ${name}?`}
        text="Its address stops working immediately."
        verb="Delete"
      >
        Delete <span class="hidden">{name}</span>
      </AskFirst>
      <Dialog title={`New secret for ${name}`} isOpen={secret !== ''} onClose={() => setSecret('')}>
        <Secret value={secret} onDone={() => setSecret('')} />
      </Dialog>
    </>
  );
}
