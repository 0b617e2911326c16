import type { AgentSummary } from '@daycare/contracts/agent-runtime';
import { agentName } from '../../data/agent-names';
import { Card } from '../../ui/layout';
import { revealHidden } from '../../ui/reveal-hidden';
import { Countdown } from '../../ui/time/time';

/** An agent that is waiting and will continue on its own. */
export function WaitingAgentCard({ agent }: { readonly agent: AgentSummary }) {
  const { id, waiting } = agent;
  return (
    <Card>
      <p>
        <a href={`/agents/${id}`}>
          <bdi>{revealHidden(agentName(id))}</bdi>
        </a>{' '}
        is waiting for <strong>{waiting?.for}</strong>
      </p>
      {waiting?.until && (
        <p class="muted small">
          It will try again in <Countdown until={waiting.until} textWhenOver="a moment" />. There is
          nothing you need to do.
        </p>
      )}
    </Card>
  );
}
