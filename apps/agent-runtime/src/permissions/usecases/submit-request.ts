import { AppError } from '@daycare/api';
import { connectorTargetOf, labelOf, type Agent, type RankForeground } from '../../agents';
import type { HistoryReader } from '../../agents';
import { findSlots, keyOf } from '../domain/pending-slots';
import { deciderOf, type PermissionRequest } from '../domain/permission';
import type { PermissionStore, StoredPermission } from '../store/permission-store';
import { findSequenceValidFrom } from './find-requester';
import type { FollowUpPermission } from './follow-up-permission';

export interface SubmitDeps {
  readonly permissions: PermissionStore;
  readonly history: HistoryReader;
  readonly rankForeground: RankForeground;
  readonly followUp: FollowUpPermission;
  /** Sends hints to the request's watchers: users who may see it, and the client of the connector that shows it. */
  readonly hintReaders: (request: PermissionRequest) => void;
  readonly permissionTtlMs: number;
  readonly now: () => Date;
}

/** The content of an agent's request. */
export type RequestSpec = Pick<
  PermissionRequest,
  'id' | 'permission' | 'reason' | 'call' | 'askedIn'
> & { readonly agent: Agent };

/**
 * An attempt fails only if a concurrent request has just taken the same slot or the same key. As there are only a few
 * slots, this many attempts are hardly ever needed.
 */
const maxAttempts = 50;

/**
 * Submits a request to the user who decides, once per id; if an identical request is already pending, returns that one.
 * Throws QUOTA_EXCEEDED when too many are pending, and UNAVAILABLE after `maxAttempts`.
 */
export async function submitRequest(
  deps: SubmitDeps,
  spec: RequestSpec,
): Promise<StoredPermission> {
  const draft = await draftOf(deps, spec);
  const request = await store(deps, draft);
  if (request.id === draft.id) {
    deps.hintReaders(request);
    await deps.followUp(request);
  }
  return request;
}

async function store(deps: SubmitDeps, draft: PermissionRequest): Promise<StoredPermission> {
  const { permissions, now } = deps;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const existing = await permissions.find(draft.userId, draft.id, now());
    if (existing) return existing;
    const pending = await listPending(deps, deciderOf(draft));
    const same = pending.find(({ key }) => key === keyOf(draft));
    if (same) return same.request;
    const stored = await permissions.create(draft, findSlots(draft, pending));
    if (stored) return stored;
  }
  throw new AppError('UNAVAILABLE', 'Too many requests were made at the same time; try again');
}

/** Lists a decider's pending requests, after storing the expiry of overdue ones, which frees their slots. */
async function listPending({ permissions, hintReaders, now }: SubmitDeps, decider: string) {
  const pending = await permissions.listPending(decider);
  const time = now();
  const overdue = pending.filter(({ request }) => request.expiresAt <= time);
  for (const { request } of overdue) {
    const expired = await permissions.expire(request, time);
    if (expired) hintReaders(expired);
  }
  return pending.filter((each) => !overdue.includes(each));
}

async function draftOf(
  deps: SubmitDeps,
  { agent, ...asked }: RequestSpec,
): Promise<PermissionRequest> {
  const { id: agentId, userId, ownerUserId } = agent;
  const createdAt = deps.now();
  return {
    ...asked,
    userId,
    ownerUserId,
    agentId,
    agentLabel: labelOf(agent.descriptor),
    contextFrom: await findSequenceValidFrom(deps, agentId),
    state: 'pending',
    ...(await presentationOf(deps, agent)),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + deps.permissionTtlMs),
    decidedAt: undefined,
    decision: undefined,
    grantUntil: undefined,
    decisionTo: [],
  };
}

/**
 * Returns where a request is shown. A subuser has no foreground agents, so its agents' requests are shown to the owner.
 */
async function presentationOf(
  { rankForeground }: SubmitDeps,
  agent: Agent,
): Promise<Pick<PermissionRequest, 'target' | 'presentedTo' | 'feed'>> {
  const [foregroundAgent] = await rankForeground(deciderOf(agent));
  if (!foregroundAgent) return { target: undefined, presentedTo: undefined };
  const address = { agentId: foregroundAgent.id, userId: foregroundAgent.userId };
  return {
    target: connectorTargetOf(foregroundAgent.descriptor),
    ...(foregroundAgent.feed === undefined ? {} : { feed: foregroundAgent.feed }),
    presentedTo: foregroundAgent.id === agent.id ? undefined : address,
  };
}
