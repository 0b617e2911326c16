import { AppError, FieldChecks, messageIdOf } from '@daycare/api';
import {
  isChannelName,
  join,
  nameRule,
  maxMembers,
  type Channel,
  type JoinRefusal,
} from '../../domain/channels/channel';
import { authorOf, type Viewer } from '../../domain/viewer';
import type { ChangeChannel } from './change-channel';
import {
  resolveAgentId,
  checkAgentId,
  type CheckOwnAgent,
  type ConfirmAlive,
} from '../check-own-agent';

export interface JoinChannelCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly channelName: string;
  readonly username: string;
  /** Empty for the calling agent. */
  readonly agentId: string;
  readonly signal: AbortSignal;
}

export interface JoinChannelDeps {
  readonly changeChannel: ChangeChannel;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly confirmAlive: ConfirmAlive;
  readonly now: () => Date;
}

const refusals: Readonly<Record<JoinRefusal, () => AppError>> = {
  username_taken: () =>
    new AppError('FAILED_PRECONDITION', 'This username is already taken; choose another'),
  has_other_username: () =>
    new AppError(
      'FAILED_PRECONDITION',
      'The agent is already a member under another username; leave the channel first to change it',
    ),
  full: () =>
    new AppError('QUOTA_EXCEEDED', `The channel is full: it has ${maxMembers} members`, {
      quota: { subject: 'channel', description: 'members' },
    }),
};

/** Adds one of the user's agents to a channel under a username. */
export function makeJoinChannel(deps: JoinChannelDeps) {
  const { changeChannel, checkOwnAgent, confirmAlive, now } = deps;
  return async (call: JoinChannelCall): Promise<Channel> => {
    check(call);
    const { caller, requestId, username, channelName: name } = call;
    const agentId = resolveAgentId(caller, call.agentId);
    await checkOwnAgent(caller, agentId, call.signal);
    const joined = await changeChannel({
      userId: caller.userId,
      name,
      request: messageIdOf('join', caller.agentId ?? '', requestId, agentId, username),
      decide(channel) {
        const next = join(channel, { agentId, username, joinedAt: now(), ...authorOf(caller) });
        if (typeof next === 'string') throw refusals[next]();
        return next;
      },
    });
    await confirmAlive({ userId: caller.userId, agentId });
    return joined;
  };
}

function check({ caller, requestId, channelName, username, agentId }: JoinChannelCall): void {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(channelName), 'channel_name', nameRule)
    .require(isChannelName(username), 'username', nameRule);
  checkAgentId(checks, caller, agentId, 'agent_id').done();
}
