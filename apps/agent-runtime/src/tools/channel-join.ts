import { z } from 'zod';
import type { Channels } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeChannelJoinTool({ channels }: { readonly channels: Channels }): Tool {
  return defineTool({
    name: 'channel_join',
    description:
      'Makes you a member of a channel of your user. You hear what mentions you by @ and your username.',
    schema: {
      channel: z.string().describe('The name of the channel'),
      username: z.string().describe('What you are mentioned by, e.g. dev; unique in the channel'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ channel: name, username }, context) {
      const channel = await channels.join(context, name, username);
      return { summary: `Joined ${name} as @${username}`, ...channel };
    },
  });
}
