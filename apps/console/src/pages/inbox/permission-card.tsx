import type { PermissionRequest } from '@daycare/contracts/agent-runtime';
import type { Decision } from '@daycare/client/browser';
import { displayName } from '../../data/agent-names';
import { useAction } from '../../data/action';
import { daycare } from '../../data/client';
import { forgetPermission } from '../../data/permissions';
import { Button } from '../../ui/button';
import { describeStarter, describeTrust, needsTrustBadge } from '../../ui/describe-trust';
import { Badge } from '../../ui/layout';
import { formatJson, revealHidden } from '../../ui/reveal-hidden';
import { Countdown } from '../../ui/time/time';

const confirmations: Readonly<Record<Decision, string>> = {
  once: 'Allowed once.',
  always: 'Allowed from now on. You can revoke this in Settings.',
  deny: 'Denied.',
};

/** An agent's permission request, with everything the person needs to know to decide. */
export function PermissionCard({ request }: { readonly request: PermissionRequest }) {
  const { id, agentId, agentLabel, call, permission, reason, expiresAt } = request;
  const decide = useAction(async (requestId, decision: Decision) => {
    await daycare.permissions.decide(id, decision, { requestId });
    forgetPermission(id);
    // A permission, unlike a call, stays granted; so allowing it “once” also allows it from now on.
    return confirmations[decision === 'once' && !call ? 'always' : decision];
  });
  const name = revealHidden(displayName(agentLabel));
  const subject = revealHidden(call ? call.toolName : permission);
  const verb = call ? 'run' : 'use';
  return (
    <article class="permission card" aria-label={`${name} wants to ${verb} ${subject}`}>
      <div class="card-body">
        <p class="permission-title">
          <a href={`/agents/${agentId}`}>
            <bdi>{name}</bdi>
          </a>{' '}
          wants to {verb} <code>{subject}</code>
        </p>
        <Starter request={request} />
        {call && (
          <pre class="code-block" tabIndex={0} aria-label="The exact call">
            {revealHidden(formatJson(call.argumentsJson || '{}'))}
          </pre>
        )}
        {reason !== '' && (
          <p class="permission-reason">
            <span class="muted">In its own words:</span> {revealHidden(reason)}
          </p>
        )}
      </div>
      <div class="card-actions">
        <Button kind="primary" busy={decide.isBusy} onClick={() => void decide.run('once')}>
          {call ? 'Allow once' : 'Allow'}
        </Button>
        {call && (
          <Button busy={decide.isBusy} onClick={() => void decide.run('always')}>
            Always allow
          </Button>
        )}
        <Button kind="danger" busy={decide.isBusy} onClick={() => void decide.run('deny')}>
          Deny
        </Button>
        {expiresAt && (
          <span class="permission-expiry muted small">
            Expires in <Countdown until={expiresAt} textWhenOver="a moment" />
          </span>
        )}
      </div>
    </article>
  );
}

function Starter({ request: { startedBy } }: { readonly request: PermissionRequest }) {
  const { text, kind } = describeTrust(startedBy?.trust);
  return (
    <p class="permission-facts muted small">
      Started by {describeStarter(startedBy)}
      {needsTrustBadge(startedBy) && <Badge kind={kind}>{text}</Badge>}
      {startedBy?.hasReadPrivate && <Badge kind="warn">Has read private data</Badge>}
    </p>
  );
}
