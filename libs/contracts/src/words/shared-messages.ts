import { AgentLifecycle, DescriptorKind, type AgentSummary } from '../agent-runtime';
import { Trust } from '../common';
import { enumOf, type EnumWord } from './enum-words';
import { ShareStatus, type Share } from '../social-graph';

/** An agent with words instead of enum values. */
export interface AgentFacts extends Readonly<
  Omit<AgentSummary, 'kind' | 'lifecycle' | 'writtenBy'>
> {
  readonly kind: EnumWord<typeof DescriptorKind>;
  readonly lifecycle: EnumWord<typeof AgentLifecycle>;
  readonly writtenBy?: EnumWord<typeof Trust> | undefined;
}

/** A share with a word instead of an enum value. */
export interface ShareFacts extends Readonly<Omit<Share, 'status'>> {
  readonly status: EnumWord<typeof ShareStatus>;
}

/**
 * Builds the message for an agent. Lists contain thousands of agents, and a literal is built faster than a copy that
 * omits some fields.
 */
export function toAgentSummary(agent: AgentFacts): AgentSummary {
  const { id, userId, kind, label, lifecycle, waiting, writtenBy } = agent;
  return {
    id,
    userId,
    kind: enumOf(DescriptorKind, kind),
    label,
    lifecycle: enumOf(AgentLifecycle, lifecycle),
    waiting,
    writtenBy: writtenBy && enumOf(Trust, writtenBy),
  };
}

/** Builds the message for a share; extra fields are left out. */
export function toShareMessage(share: ShareFacts): Share {
  return {
    subuserId: share.subuserId,
    subuserNametag: share.subuserNametag,
    subuserName: share.subuserName,
    subuserDescription: share.subuserDescription,
    status: enumOf(ShareStatus, share.status),
    offeredAt: share.offeredAt,
    acceptedAt: share.acceptedAt,
  };
}
