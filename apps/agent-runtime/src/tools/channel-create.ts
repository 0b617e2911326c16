import { z } from 'zod';
import type { Channels } from '../rpc/wiring-client';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export function makeChannelCreateTool({ channels }: { readonly channels: Channels }): Tool {
  return defineTool({
    name: 'channel_create',
    description:
      'Makes a channel for agents of your user, with you as its leader: you hear everything that is said ' +
      'in it, the others what mentions them.',
    schema: {
      name: z.string().describe('Of a-z, 0-9, "_" and "-", e.g. ops'),
      username: z.string().optional().describe('What you are mentioned by; leader if left out'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ name, username = '' }, context) {
      const channel = await channels.create(context, name, username);
      return { summary: `Channel ${name} created`, ...channel };
    },
  });
}
