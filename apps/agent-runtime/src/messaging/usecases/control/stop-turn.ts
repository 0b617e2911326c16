import { FieldChecks, messageIdOf } from '@daycare/api';
import {
  agentDead,
  type Agent,
  type AgentReader,
  findVisibleAgent,
  type HistoryReader,
} from '../../../agents';
import type { PlacedItem } from '../../domain/placed-item';
import type { PlaceItems } from '../inbox/place-items';

export interface StopCall {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
  /** Empty to only stop the turn. */
  readonly steeringText: string;
  readonly replyTarget: string;
}

export interface StopDeps {
  readonly agents: AgentReader;
  readonly history: Pick<HistoryReader, 'findHead'>;
  readonly placeItems: PlaceItems;
  /** Makes an agent's turn in progress, on whichever replica it runs, check immediately whether it has to end. */
  readonly interruptAgent: (agentId: string) => void;
  readonly now: () => Date;
}

/**
 * Stops the turn in progress. The turn stops when it finds the stop item in its agent's inbox; `interruptAgent` only
 * saves the time until the next poll. The steering message, if any, is stored directly after the stop item.
 */
export function makeStopTurn(deps: StopDeps) {
  return async (call: StopCall): Promise<{ readonly messageId: string }> => {
    check(call);
    const agent = await findVisibleAgent(deps.agents, call.userId, call.agentId);
    if (agent.diedAt) throw agentDead();
    const steering = await steeringItems(deps, call, agent);
    const stop = { kind: 'stop', ...acceptance('stop', call, agent, deps.now()) } as const;
    await deps.placeItems([{ recipients: [agent], item: stop }, ...steering]);
    deps.interruptAgent(agent.id);
    return { messageId: steering[0]?.item.messageId ?? '' };
  };
}

function check({ requestId, agentId, steeringText, replyTarget }: StopCall): void {
  new FieldChecks()
    .requestId(requestId)
    .id(agentId, 'agent_id')
    .text(steeringText, 'steering_text', { min: 0, max: 32_768 })
    .line(replyTarget, 'reply_target', { min: 0, max: 1_024 })
    .done();
}

async function steeringItems(
  { history, now }: StopDeps,
  call: StopCall,
  agent: Agent,
): Promise<PlacedItem[]> {
  const text = call.steeringText.trim();
  if (text === '') return [];
  const head = await history.findHead(agent.id);
  const { replyTarget } = call;
  const message = { ...acceptance('steer', call, agent, now()), text, files: [], replyTarget };
  const afterSequence = head?.state.lastSequence ?? 0;
  return [{ recipients: [agent], item: { kind: 'message', ...message }, afterSequence }];
}

function acceptance(
  purpose: string,
  { userId: callerId, requestId, steeringText }: StopCall,
  { id, userId }: Agent,
  acceptedAt: Date,
) {
  const messageId = messageIdOf(purpose, callerId, id, requestId, steeringText.trim());
  return { userId, messageId, acceptedAt };
}
