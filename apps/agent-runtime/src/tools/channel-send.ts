import { z } from 'zod';
import type { RunawayGuards } from '../domain/runaway-guards';
import type { Channels } from '../rpc/wiring-client';
import { guardHops } from './guard-hops';
import { defineTool, type Tool } from './tool';
import { asTheServiceSays, everyone } from './who-may';

export interface ChannelSendDeps {
  readonly channels: Channels;
  readonly guards: RunawayGuards;
}

export function makeChannelSendTool({ channels, guards }: ChannelSendDeps): Tool {
  return defineTool({
    name: 'channel_send',
    description:
      'Says something in a channel that you are a member of. Its leader hears it, and every member that it ' +
      'mentions, e.g. "@dev have a look". It is safely on its way when this is answered.',
    schema: {
      channel: z.string().describe('The name of the channel'),
      message: z.string().describe('The text, up to 32,768 characters'),
    },
    isVisibleTo: everyone,
    authorise: asTheServiceSays,
    async execute({ channel, message }, context) {
      guardHops(context, guards);
      const { id: messageId, mentions } = await channels.send(context, channel, message);
      return { summary: `Said in ${channel}`, channel, messageId, mentions };
    },
  });
}
