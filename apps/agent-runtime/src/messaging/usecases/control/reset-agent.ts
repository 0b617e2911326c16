import { AppError, FieldChecks, messageIdOf, type Trust } from '@daycare/api';
import { type AgentReader, findVisibleAgent } from '../../../agents';
import type { ResetItem } from '../../domain/inbox-item';
import type { PutItems } from '../put-items';

export interface ResetCall {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
  readonly message: string;
  /** Whether an agent requests the reset, which then queues behind other items and stops no turn. */
  readonly isByAgent: boolean;
  /** The trust of the turn that requests the reset, if one does. */
  readonly trust?: Trust | undefined;
  readonly carriesPrivate?: boolean | undefined;
  /** The guest or outsider whose words are in that turn's context. */
  readonly foreignWriter?: string | undefined;
}

export interface ResetDeps {
  readonly agents: AgentReader;
  readonly putItems: PutItems;
  /** Makes an agent's current turn check for stops and resets, on whichever replica it is running. */
  readonly interruptAgent: (agentId: string) => void;
  readonly now: () => Date;
}

/**
 * Queues a reset: the agent clears its context when it reaches this item in its inbox. A person's reset also
 * stops the turn in progress.
 */
export function makeResetAgent({ agents, putItems, interruptAgent, now }: ResetDeps) {
  return async (call: ResetCall): Promise<void> => {
    const { userId, requestId, agentId, message, isByAgent } = call;
    new FieldChecks()
      .requestId(requestId)
      .id(agentId, 'agent_id')
      .text(message, 'message', { min: 0, max: 32_768 })
      .done();
    const agent = await findVisibleAgent(agents, userId, agentId);
    if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const messageId = messageIdOf('reset', userId, agentId, requestId, message.trim());
    const acceptance = { userId: agent.userId, messageId, acceptedAt: now() };
    const item = {
      kind: 'reset',
      ...acceptance,
      message: message.trim(),
      ...turnOf(call),
    } as const;
    await putItems([{ agent, item: isByAgent ? { ...item, byAgent: true } : item }]);
    if (!isByAgent) interruptAgent(agent.id);
  };
}

function turnOf({
  trust,
  carriesPrivate,
  foreignWriter,
}: ResetCall): Pick<ResetItem, 'trust' | 'carriesPrivate' | 'foreignWriter'> {
  return {
    ...(trust ? { trust } : {}),
    ...(carriesPrivate ? { carriesPrivate } : {}),
    ...(foreignWriter ? { foreignWriter } : {}),
  };
}
