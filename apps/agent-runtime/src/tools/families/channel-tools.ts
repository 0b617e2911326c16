import { z } from 'zod';
import type { RunawayGuards } from '../../agents';
import { labelled, labelOfEntries } from '../domain/tool-outcome';
import type { Channels } from '../ports/channels';
import { guardHops } from '../registry/guard-hops';
import { defineTool, limitArgument, type Tool } from '../registry/tool';
import { delegated, everyone } from '../registry/tool-access';

export interface ChannelToolsDeps {
  readonly channels: Channels;
  readonly guards: RunawayGuards;
}

const defaultLimit = 20;
const access = { isVisibleTo: everyone, authorise: delegated };
const channelName = z.string().describe('The name of the channel');

export function channelTools({ channels, guards }: ChannelToolsDeps): Tool[] {
  return [
    createTool(channels),
    joinTool(channels),
    leaveTool(channels),
    sendTool(channels, guards),
    historyTool(channels),
  ];
}

function createTool(channels: Channels): Tool {
  return defineTool({
    name: 'channel_create',
    description:
      'Creates a channel in which your user’s agents can talk to each other, with you as its leader. The leader ' +
      'receives every message; other members receive only messages that mention them. Returns the channel and its ' +
      'members.',
    schema: {
      name: z
        .string()
        .describe(
          '1 to 80 characters of a-z, 0-9, "_" and "-", starting with a letter or digit, e.g. ops',
        ),
      username: z
        .string()
        .optional()
        .describe('The name with which members mention you; defaults to leader'),
    },
    ...access,
    async execute({ name, username = '' }, context) {
      const channel = await channels.create(context, name, username);
      return { summary: `Channel ${name} created`, ...channel };
    },
  });
}

function joinTool(channels: Channels): Tool {
  return defineTool({
    name: 'channel_join',
    description:
      'Makes you a member of one of your user’s channels. You then receive messages that mention you as @username. ' +
      'Returns the channel and its members.',
    schema: {
      channel: channelName,
      username: z
        .string()
        .describe('The name with which members mention you, e.g. dev; unique in the channel'),
    },
    ...access,
    async execute({ channel: name, username }, context) {
      const channel = await channels.join(context, name, username);
      return { summary: `Joined ${name} as @${username}`, ...channel };
    },
  });
}

function leaveTool(channels: Channels): Tool {
  return defineTool({
    name: 'channel_leave',
    description:
      'Ends your membership in a channel. If you lead it, the remaining member who joined first becomes the leader; if ' +
      'you are the last member, the channel and its history are deleted. Returns isDeleted.',
    schema: { channel: channelName },
    ...access,
    async execute({ channel: name }, context) {
      const channel = await channels.leave(context, name);
      const summary = channel
        ? `Left ${name}`
        : `Left ${name}; it had no other members and was deleted`;
      return { summary, channel: name, isDeleted: channel === undefined };
    },
  });
}

function sendTool(channels: Channels, guards: RunawayGuards): Tool {
  return defineTool({
    name: 'channel_send',
    description:
      'Sends a message to a channel you are a member of. It reaches the leader and every member it mentions, ' +
      'e.g. "@dev please review". Returns the messageId and the mentions once the message is stored for delivery.',
    schema: {
      channel: channelName,
      message: z.string().describe('The text, up to 32,768 characters'),
    },
    ...access,
    async execute({ channel, message }, context) {
      guardHops(context, guards);
      const { id: messageId, mentions } = await channels.send(context, channel, message);
      return { summary: `Message sent to ${channel}`, channel, messageId, mentions };
    },
  });
}

function historyTool(channels: Channels): Tool {
  return defineTool({
    name: 'channel_history',
    description:
      'Returns the latest messages in a channel you are a member of, newest first, each with its sender, time and ' +
      'text. Use it to catch up on messages that did not mention you. Long text is truncated (cutCharacters is how much ' +
      'is missing); omitted is how many messages did not fit.',
    schema: {
      channel: channelName,
      limit: limitArgument(defaultLimit),
    },
    ...access,
    async execute({ channel, limit = defaultLimit }, context) {
      const { shown, omitted } = await channels.history(context, channel, limit);
      const more = omitted > 0 ? { omitted } : {};
      return labelled({ channel, messages: shown, ...more }, labelOfEntries(shown));
    },
  });
}
