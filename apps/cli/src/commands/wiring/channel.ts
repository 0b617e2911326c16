import type { Channel } from '@daycare/contracts/topology';
import { loadTopology } from '../../client/load-topology';
import { collect } from '../../client/rpc/pages';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { agentOption, limitOption, type ForAgent, type Limited } from '../kit/options';

const agentAs = (role: string) =>
  [
    '--agent <agent>',
    `${role}, by name or id (default: the one you last talked to, preferring active ones)`,
    agentOption[2],
  ] as const;

const nameFormat = '1 to 80 characters of a-z, 0-9, "_" and "-", starting with a letter or digit';
const channel = ['<channel>', 'name from "daycare channel list"', { kind: 'channel' }] as const;
const hints = { NOT_FOUND: 'Run "daycare channel list" to see the channels.' };

const list = defineCommand({
  name: 'list',
  description: 'list your channels and their members',
  examples: ['channel list', 'channel list -o json'],
  async run({ session }) {
    const shown = await loadTopology((await session()).topology, false);
    return tableView(
      shown?.channels?.channels ?? [],
      [
        ['NAME', ({ name }) => name],
        ['LEADER', ({ leaderAgentId }) => leaderAgentId, 'id'],
        [
          'MEMBERS',
          ({ members }) => members.map(({ username }) => `@${username}`).join(' '),
          'long',
        ],
      ],
      'No channels yet.',
    );
  },
});

const create = defineCommand<ForAgent & { username?: string }>({
  name: 'create',
  description:
    'create a channel; its leader agent receives every message that other members send to the channel',
  args: [['<channel>', `name of the new channel: ${nameFormat}, e.g. ops`]],
  options: [
    agentAs('agent that leads the channel'),
    ['--username <name>', 'username of the leader in the channel (default: leader)'],
  ],
  examples: ['channel create ops', 'channel create ops --agent work --username boss'],
  async run({ session, args: [name = ''], options: { agent, username = '' } }) {
    const opened = await session();
    const { channel: created } = await opened.topology.createChannel({
      requestId: opened.requestIds.next(),
      name,
      leaderAgentId: await opened.agentId(agent),
      leaderUsername: username,
    });
    return channelView(created);
  },
});

const join = defineCommand<ForAgent>({
  name: 'join',
  description: 'add an agent to a channel; the agent receives the messages that mention it',
  args: [channel, ['<username>', `username for mentions, without @: ${nameFormat}`]],
  options: [agentAs('agent to add')],
  examples: ['channel join ops dev --agent work'],
  hints,
  async run({ session, args: [channelName = '', username = ''], options }) {
    const opened = await session();
    const agentId = await opened.agentId(options.agent);
    const requestId = opened.requestIds.next();
    const request = { requestId, channelName, username, agentId };
    return channelView((await opened.topology.joinChannel(request)).channel);
  },
});

const leave = defineCommand<ForAgent>({
  name: 'leave',
  description: 'remove an agent from a channel; a channel without members is deleted',
  args: [channel],
  options: [agentAs('agent to remove')],
  examples: ['channel leave ops', 'channel leave ops --agent work'],
  hints,
  async run({ session, args: [channelName = ''], options }) {
    const opened = await session();
    const agentId = await opened.agentId(options.agent);
    const request = { requestId: opened.requestIds.next(), channelName, agentId };
    const { channel: remaining } = await opened.topology.leaveChannel(request);
    const what = remaining
      ? `Agent ${agentId} left ${channelName}.`
      : `Channel ${channelName} was deleted.`;
    return textView(what, { agentId, channel: remaining ?? null });
  },
});

const send = defineCommand<ForAgent>({
  name: 'send',
  description: 'send a message to a channel as one of its members',
  args: [
    channel,
    ['<text>', 'the message, where @username mentions a member; - reads it from standard input'],
  ],
  options: [agentAs('agent that sends the message')],
  examples: ['channel send ops "@dev have a look"', 'channel send ops - < report.txt'],
  hints,
  async run({ session, args: [name = '', text = ''], options }) {
    const opened = await session();
    const agentId = await opened.agentId(options.agent);
    const request = { channel: name, message: await readText(text) };
    const result = await opened.callTool<{ summary: string }>(agentId, 'channel_send', request);
    return textView(result.summary, result);
  },
});

const history = defineCommand<Limited>({
  name: 'history',
  description: "list a channel's messages, newest first",
  args: [channel],
  options: [limitOption],
  examples: ['channel history ops', 'channel history ops --limit 20 -o json'],
  hints,
  async run({ session, args: [channelName = ''], options }) {
    const { topology } = await session();
    const messages = await collect(options.limit, async (page) => {
      const response = await topology.listChannelMessages({ ...page, channelName });
      return { items: response.messages, nextPageToken: response.nextPageToken };
    });
    return tableView(
      messages,
      [
        ['AGE', ({ sentAt }) => sentAt],
        ['FROM', ({ senderUsername }) => `@${senderUsername}`],
        ['TEXT', ({ text }) => text, 'long'],
      ],
      'No messages yet.',
    );
  },
});

function channelView(shown: Channel | undefined): View {
  const members = shown?.members.map(({ username, agentId }) => `@${username} (${agentId})`);
  return recordView(shown, [
    ['channel', shown?.name ?? ''],
    ['leader', shown?.leaderAgentId ?? ''],
    ['members', members?.join(', ') ?? ''],
  ]);
}

export const channelCommands: readonly AnyCommand[] = [list, create, join, leave, send, history];
