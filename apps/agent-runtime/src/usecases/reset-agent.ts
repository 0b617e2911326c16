import { AppError, FieldChecks } from '@daycare/errors';
import type { AgentStore } from '../store/agent-store';
import { messageIdOf } from './message-id';
import type { PutItems } from './put-items';
import { findVisible } from './visible-agent';

export interface ResetCall {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
  readonly message: string;
}

export interface ResetDeps {
  readonly agents: AgentStore;
  readonly putItems: PutItems;
  readonly now: () => Date;
}

/** Has an agent forget its context when it comes to this item of its inbox. */
export function makeResetAgent({ agents, putItems, now }: ResetDeps) {
  return async ({ userId, requestId, agentId, message }: ResetCall): Promise<void> => {
    new FieldChecks()
      .requestId(requestId)
      .id(agentId, 'agent_id')
      .text(message, 'message', { min: 0, max: 32_768 })
      .done();
    const agent = await findVisible(agents, userId, agentId);
    if (agent.diedAt) throw new AppError('FAILED_PRECONDITION', 'The agent is dead');
    const messageId = messageIdOf('reset', userId, agentId, requestId, message.trim());
    const common = { agentId, userId: agent.userId, messageId, acceptedAt: now() };
    await putItems([{ agent, item: { kind: 'reset', ...common, message: message.trim() } }]);
  };
}
