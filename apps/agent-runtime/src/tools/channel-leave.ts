import { z } from 'zod';
import type { Channels } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeChannelLeaveTool({ channels }: { readonly channels: Channels }): Tool {
  return defineTool({
    name: 'channel_leave',
    description:
      'Ends your membership in a channel. If you lead it, the member who joined first follows you; the last ' +
      'one to leave takes the channel along.',
    schema: {
      channel: z.string().describe('The name of the channel'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ channel: name }, context) {
      const channel = await channels.leave(context, name);
      const summary = channel ? `Left ${name}` : `Left ${name}, which is gone`;
      return { summary, channel: name, isGone: channel === undefined };
    },
  });
}
