import { z } from 'zod';
import type { Channels } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

const defaultLimit = 20;

export function makeChannelHistoryTool({ channels }: { readonly channels: Channels }): Tool {
  return defineTool({
    name: 'channel_history',
    description: 'Lists what was said in a channel that you are a member of, newest first.',
    schema: {
      channel: z.string().describe('The name of the channel'),
      limit: z.int().min(1).max(100).optional().describe(`${defaultLimit} if left out`),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    execute: async ({ channel, limit = defaultLimit }, context) => ({
      channel,
      messages: await channels.history(context, channel, limit),
    }),
  });
}
