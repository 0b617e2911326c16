import { AppError, FieldChecks } from '@daycare/errors';
import { isChannelName, nameRule, type Channel } from '../domain/channel';
import type { Viewer } from '../domain/facts';
import type { ChannelStore } from '../store/channel-store';
import { messageIdOf } from './message-id';
import { agentOf, checkAgentId, type CheckOwnAgent } from './own-agent';

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
  readonly newId: () => string;
  readonly now: () => Date;
}

const defaultUsername = 'leader';
/** Of one user; a guard against loops, so it need not be exact to one. */
const mostOfUser = 1_000;

/** Makes a channel with its leader as the first member. Of several at the same moment one succeeds. */
export function makeCreateChannel(deps: CreateChannelDeps) {
  return async (call: CreateChannelCall): Promise<Channel> => {
    const username = call.leaderUsername || defaultUsername;
    check(call, username);
    const { caller, name } = call;
    const leaderAgentId = agentOf(caller, call.leaderAgentId);
    const request = messageIdOf('create', caller.agentId ?? '', call.requestId, leaderAgentId);
    const earlier = await deps.channels.find(caller.userId, name);
    if (earlier?.requests.includes(request)) return earlier.channel;
    await deps.checkOwnAgent(caller, leaderAgentId, call.signal);
    await refuseTooMany(deps, caller.userId);
    const channel = channelOf(caller.userId, name, { leaderAgentId, username }, deps);
    if (await deps.channels.insert({ channel, requests: [request] })) return channel;
    const other = await deps.channels.find(caller.userId, name);
    if (other?.requests.includes(request)) return other.channel;
    throw new AppError('FAILED_PRECONDITION', `There is a channel ${name} already`);
  };
}

function channelOf(
  userId: string,
  name: string,
  { leaderAgentId, username }: { readonly leaderAgentId: string; readonly username: string },
  { newId, now }: CreateChannelDeps,
): Channel {
  const createdAt = now();
  const members = [{ agentId: leaderAgentId, username, joinedAt: createdAt }];
  return { id: newId(), userId, name, leaderAgentId, members, createdAt };
}

async function refuseTooMany({ channels }: CreateChannelDeps, userId: string): Promise<void> {
  if ((await channels.countOf(userId, mostOfUser)) < mostOfUser) return;
  const quota = { subject: 'caller', description: 'channels' };
  throw new AppError('QUOTA_EXCEEDED', 'Too many channels', { quota });
}

function check({ caller, requestId, name, leaderAgentId }: CreateChannelCall, username: string) {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(name), 'name', nameRule)
    .require(isChannelName(username), 'leader_username', nameRule);
  checkAgentId(checks, caller, leaderAgentId, 'leader_agent_id').done();
}
