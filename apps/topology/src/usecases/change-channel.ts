import { AppError, notFound } from '@daycare/errors';
import type { Channel } from '../domain/channel';
import type { ChannelStore } from '../store/channel-store';

export interface ChannelChange {
  readonly userId: string;
  readonly name: string;
  /** The same for every retry of a call, and for nothing else. */
  readonly request: string;
  /** Throws when it may not be. */
  readonly decide: (channel: Channel) => Channel;
}

const mostTries = 100;
/** One for each member and then some, so that a retry finds its own. */
const mostRequests = 256;

/**
 * Load, decide, save, and again if somebody was faster: the version of the one document settles every
 * race. What was changed by this request before stays as it is.
 */
export function makeChangeChannel(deps: {
  readonly channels: ChannelStore;
  readonly now: () => Date;
}) {
  return async ({ userId, name, request, decide }: ChannelChange): Promise<Channel> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const stored = await deps.channels.find(userId, name);
      if (!stored) throw notFound('Channel');
      if (stored.requests.includes(request)) return stored.channel;
      const channel = decide(stored.channel);
      const requests = [...stored.requests, request].slice(-mostRequests);
      if (await deps.channels.save({ ...stored, channel, requests }, deps.now())) return channel;
    }
    throw new AppError('CONFLICT', 'Too many calls about the same channel; try again');
  };
}

export type ChangeChannel = ReturnType<typeof makeChangeChannel>;
