import { AppError, FieldChecks } from '@daycare/errors';
import {
  isChannelName,
  join,
  nameRule,
  mostMembers,
  type Channel,
  type JoinRefusal,
} from '../domain/channel';
import type { Viewer } from '../domain/facts';
import type { ChangeChannel } from './change-channel';
import { messageIdOf } from './message-id';
import { agentOf, checkAgentId, type CheckOwnAgent } from './own-agent';

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
  readonly now: () => Date;
}

const refusals: Readonly<Record<JoinRefusal, () => AppError>> = {
  username_taken: () => new AppError('FAILED_PRECONDITION', 'The username is taken'),
  joined_otherwise: () =>
    new AppError('FAILED_PRECONDITION', 'The agent is a member under another username'),
  full: () =>
    new AppError('QUOTA_EXCEEDED', `A channel has at most ${mostMembers} members`, {
      quota: { subject: 'channel', description: 'members' },
    }),
};

/** Makes an agent of the user a member under a username. */
export function makeJoinChannel({ changeChannel, checkOwnAgent, now }: JoinChannelDeps) {
  return async (call: JoinChannelCall): Promise<Channel> => {
    check(call);
    const { caller, requestId, username, channelName: name } = call;
    const agentId = agentOf(caller, call.agentId);
    await checkOwnAgent(caller, agentId, call.signal);
    return changeChannel({
      userId: caller.userId,
      name,
      request: messageIdOf('join', caller.agentId ?? '', requestId, agentId, username),
      decide(channel) {
        const joined = join(channel, { agentId, username, joinedAt: now() });
        if (typeof joined === 'string') throw refusals[joined]();
        return joined;
      },
    });
  };
}

function check({ caller, requestId, channelName, username, agentId }: JoinChannelCall): void {
  const checks = new FieldChecks()
    .requestId(requestId)
    .require(isChannelName(channelName), 'channel_name', nameRule)
    .require(isChannelName(username), 'username', nameRule);
  checkAgentId(checks, caller, agentId, 'agent_id').done();
}
