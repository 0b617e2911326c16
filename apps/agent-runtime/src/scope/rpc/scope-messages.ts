import {
  AgentLifecycle,
  DescriptorKind,
  type AgentSummary,
  type GatewayAgent,
} from '@daycare/contracts/agent-runtime';
import { enumOf } from '@daycare/contracts/enum-words';
import type { GatewayOutline } from '../../agents';
import type { ScopedAgent } from '../usecases/list-scope';

export function toSummary({ agent, lifecycle, waiting }: ScopedAgent): AgentSummary {
  const { id, userId, kind, label } = agent;
  return {
    id,
    userId,
    kind: enumOf(DescriptorKind, kind),
    label,
    lifecycle: enumOf(AgentLifecycle, lifecycle),
    waiting,
  };
}

export function toGateway({ agent, lifecycle }: ScopedAgent<GatewayOutline>): GatewayAgent {
  return { userId: agent.userId, agentId: agent.id, lifecycle: enumOf(AgentLifecycle, lifecycle) };
}
