import { AgentLifecycle, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { ShareStatus, TieState } from '@daycare/contracts/social-graph';
import { AppError, blandTextOf } from '@daycare/errors';
import type {
  AgentKind,
  Lifecycle,
  RequestState,
  ShareStatus as DomainShareStatus,
} from '../domain/facts';

export const lifecycles: Record<Lifecycle, AgentLifecycle> = {
  active: AgentLifecycle.ACTIVE,
  sleeping: AgentLifecycle.SLEEPING,
  dead: AgentLifecycle.DEAD,
};

export const kinds: Record<AgentKind, DescriptorKind> = {
  user: DescriptorKind.USER,
  subuser: DescriptorKind.SUBUSER,
  permanent: DescriptorKind.PERMANENT,
  app: DescriptorKind.APP,
  subagent: DescriptorKind.SUBAGENT,
  cron: DescriptorKind.CRON,
  heartbeat: DescriptorKind.HEARTBEAT,
};

export const shareStatuses: Record<DomainShareStatus, ShareStatus> = {
  pending: ShareStatus.PENDING,
  active: ShareStatus.ACTIVE,
};

export const requestStates: Record<RequestState, TieState> = {
  pending_in: TieState.PENDING_IN,
  pending_out: TieState.PENDING_OUT,
};

/** The word for a value of a contract; one without a word was made by somebody newer than us. */
export function wordOf<W extends string, V>(words: Readonly<Record<W, V>>, value: V): W {
  const found = Object.entries(words).find(([, known]) => known === value);
  if (found) return found[0] as W;
  const cause = new Error(`there is no word for ${String(value)}`);
  throw new AppError('INTERNAL', blandTextOf('INTERNAL'), {}, { cause });
}
