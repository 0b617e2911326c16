import {
  AgentLifecycle,
  type AgentSummary,
  type GatewayAgent,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf } from '@daycare/contracts/enum-words';
import { toAgentSummary } from '@daycare/contracts/shared-messages';
import type { GatewayOutline } from '../../agents';
import type { ScopedAgent } from '../usecases/list-scope';

export function toSummary({ agent, lifecycle, waiting }: ScopedAgent): AgentSummary {
  const { id, userId, kind, label, nameTrust: writtenBy } = agent;
  return toAgentSummary({ id, userId, kind, label, lifecycle, waiting, writtenBy });
}

export function toGateway({ agent, lifecycle }: ScopedAgent<GatewayOutline>): GatewayAgent {
  const { userId, id: agentId, nameTrust } = agent;
  return {
    userId,
    agentId,
    lifecycle: enumOf(AgentLifecycle, lifecycle),
    writtenBy: nameTrust && enumOf(Trust, nameTrust),
  };
}
