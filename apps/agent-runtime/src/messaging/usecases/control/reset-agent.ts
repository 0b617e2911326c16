import { FieldChecks, messageIdOf } from '@daycare/api';
import { agentDead, type AgentReader, findVisibleAgent } from '../../../agents';
import { labelsOf, type TurnLabels } from '../../domain/sending-turn';
import type { PlaceItems } from '../inbox/place-items';

export interface ResetCall extends TurnLabels {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
  readonly message: string;
  /** Whether an agent requests the reset, which then queues behind other items and stops no turn. */
  readonly isByAgent: boolean;
}

export interface ResetDeps {
  readonly agents: AgentReader;
  readonly placeItems: PlaceItems;
  /** Makes an agent's turn in progress, on whichever replica it runs, check immediately whether it has to end. */
  readonly interruptAgent: (agentId: string) => void;
  readonly now: () => Date;
}

/**
 * Queues a reset: the agent clears its context when it reaches this item in its inbox. A person's reset also
 * stops the turn in progress.
 */
export function makeResetAgent({ agents, placeItems, interruptAgent, now }: ResetDeps) {
  return async (call: ResetCall): Promise<void> => {
    const { userId, requestId, agentId, message, isByAgent } = call;
    new FieldChecks()
      .requestId(requestId)
      .id(agentId, 'agent_id')
      .text(message, 'message', { min: 0, max: 32_768 })
      .done();
    const agent = await findVisibleAgent(agents, userId, agentId);
    if (agent.diedAt) throw agentDead();
    const messageId = messageIdOf('reset', userId, agentId, requestId, message.trim());
    const acceptance = { userId: agent.userId, messageId, acceptedAt: now() };
    const item = {
      kind: 'reset',
      ...acceptance,
      message: message.trim(),
      ...labelsOf(call),
    } as const;
    await placeItems([
      { recipients: [agent], item: isByAgent ? { ...item, byAgent: true } : item },
    ]);
    if (!isByAgent) interruptAgent(agent.id);
  };
}
