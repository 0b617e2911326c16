import { AppError, notFound, rememberRequest } from '@daycare/api';
import type { Channel } from '../../domain/channels/channel';
import type { ChannelStore } from '../../store/channel-store';

export interface ChannelChange {
  readonly userId: string;
  readonly name: string;
  /**
   * Identifies the call: equal for its retries, different for every other call. Unset for a change that is safe
   * to repeat.
   */
  readonly request?: string;
  /** Returns the changed channel; throws when the change is not allowed. */
  readonly decide: (channel: Channel) => Channel;
}

const maxTries = 100;
/** More than `maxMembers`, so that a call is still recognised after every other member has joined. */
const maxRequests = 256;

/**
 * Loads, decides and saves, and tries again if the document's version shows that a concurrent call saved first.
 * A retry of a request that was already applied changes nothing.
 */
export function makeChangeChannel(deps: {
  readonly channels: ChannelStore;
  readonly now: () => Date;
}) {
  return async ({ userId, name, request, decide }: ChannelChange): Promise<Channel> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const stored = await deps.channels.find(userId, name);
      if (!stored) throw notFound('channel');
      if (request !== undefined && stored.requests.includes(request)) return stored.channel;
      const channel = decide(stored.channel);
      const requests =
        request === undefined
          ? stored.requests
          : rememberRequest(stored.requests, request, maxRequests);
      if (await deps.channels.save({ ...stored, channel, requests }, deps.now())) return channel;
    }
    throw new AppError('CONFLICT', 'Too many concurrent changes to this channel; try again');
  };
}

export type ChangeChannel = ReturnType<typeof makeChangeChannel>;
