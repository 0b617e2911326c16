import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import { isChannelName, nameRule, type Channel } from '../../domain/channels/channel';
import { authorOf, ownerOf, type Viewer } from '../../domain/viewer';
import type { ChannelStore } from '../../store/channel-store';
import {
  resolveAgentId,
  checkAgentId,
  type CheckOwnAgent,
  type ConfirmAlive,
} from '../check-own-agent';

export interface CreateChannelCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly name: string;
  /** Empty for the calling agent. */
  readonly leaderAgentId: string;
  readonly leaderUsername: string;
  readonly signal: AbortSignal;
}

export interface CreateChannelDeps {
  readonly channels: ChannelStore;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly confirmAlive: ConfirmAlive;
  readonly newId: () => string;
  readonly now: () => Date;
}

const defaultUsername = 'leader';
/**
 * The limit for an owner and its subusers together. Concurrent calls may exceed it slightly, because it only
 * guards against runaway agents.
 */
const maxPerOwner = 1_000;

/** Creates a channel with its leader as the first member. Only one of several concurrent calls for a name succeeds. */
export function makeCreateChannel(deps: CreateChannelDeps) {
  return async (call: CreateChannelCall): Promise<Channel> => {
    const username = call.leaderUsername || defaultUsername;
    check(call, username);
    const { caller, name } = call;
    const leaderAgentId = resolveAgentId(caller, call.leaderAgentId);
    const request = messageIdOf('create', caller.agentId ?? '', call.requestId, leaderAgentId);
    const earlier = await deps.channels.find(caller.userId, name);
    if (earlier?.requests.includes(request)) return earlier.channel;
    await deps.checkOwnAgent(caller, leaderAgentId, call.signal);
    await refuseTooMany(deps, ownerOf(caller));
    const channel = channelOf(caller, name, { leaderAgentId, username }, deps);
    if (await deps.channels.insert({ channel, requests: [request] })) {
      await deps.confirmAlive({ userId: caller.userId, agentId: leaderAgentId });
      return channel;
    }
    const concurrent = await deps.channels.find(caller.userId, name);
    if (concurrent?.requests.includes(request)) return concurrent.channel;
    throw new AppError('FAILED_PRECONDITION', `A channel named ${name} already exists`);
  };
}

function channelOf(
  caller: Viewer,
  name: string,
  { leaderAgentId, username }: { readonly leaderAgentId: string; readonly username: string },
  { newId, now }: CreateChannelDeps,
): Channel {
  const createdAt = now();
  const author = authorOf(caller);
  const members = [{ agentId: leaderAgentId, username, joinedAt: createdAt, ...author }];
  const users = { userId: caller.userId, ownerUserId: ownerOf(caller) };
  return { id: newId(), ...users, ...author, name, leaderAgentId, members, createdAt };
}

async function refuseTooMany({ channels }: CreateChannelDeps, ownerUserId: string): Promise<void> {
  if ((await channels.countByOwner(ownerUserId, maxPerOwner)) < maxPerOwner) return;
  const quota = { subject: 'caller', description: 'channels' };
  const message = 'You have too many channels; delete one first by removing all its members';
  throw new AppError('QUOTA_EXCEEDED', message, { quota });
}

function check({ caller, requestId, name, leaderAgentId }: CreateChannelCall, username: string) {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(name), 'name', nameRule)
    .require(isChannelName(username), 'leader_username', nameRule);
  checkAgentId(checks, caller, leaderAgentId, 'leader_agent_id').done();
}
