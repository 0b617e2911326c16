import { dirname, join } from 'node:path';
import { chatAtTerminal } from '../../chat/chat-at-terminal';
import { chatByLines } from '../../chat/chat-by-lines';
import { ChatScreen } from '../../chat/screen/chat-screen';
import { skippedText } from '../../chat/visits/backlog';
import { Conversation } from '../../chat/conversation';
import { ReadPositions } from '../../chat/visits/read-positions';
import { waitingRequestsText } from '../../chat/visits/waiting-requests';
import type { Session } from '../../client/session';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { modelLines } from '../../models/model-lines';
import { Speakers } from '../../names/speakers';
import { historyView } from '../../output/history';
import { isForPeople, Printer } from '../../output/printer';
import { ansiColours, noColours } from '../../terminal/colours';
import { defineCommand, type Call } from '../kit/command';
import { onlyAgent, parseCount } from '../kit/options';

interface ChatOptions {
  readonly channel: string;
  readonly agent?: string;
  readonly waitFor: number;
}

const defaultWaitSeconds = 120;

export const chatCommand = defineCommand<ChatOptions>({
  name: 'chat',
  description:
    'chat with your agent; without a terminal, send each line of standard input and wait for a reply to it',
  options: [
    [
      '--channel <name>',
      'name of the conversation to chat in (unrelated to "daycare channel"); each conversation has its own agent',
      { default: 'me' },
    ],
    onlyAgent('agent to chat with, by name or id; --channel is then ignored'),
    [
      '--wait-for <seconds>',
      'without a terminal, maximum time to wait for each reply',
      { parse: parseCount, default: defaultWaitSeconds },
    ],
  ],
  examples: ['chat', 'chat --channel work', 'chat -o json < questions.txt'],
  hints: { NOT_FOUND: 'Run "daycare agent list" to see your agents.' },
  ownsScreen: true,
  async run(call) {
    const { agent, channel } = call.options;
    const session = await call.session();
    const target = { channel, ...(agent ? { agent } : {}) };
    if (process.stdin.isTTY && process.stdout.isTTY) {
      const positions = await ReadPositions.load(fileBesideConfig(call, 'chat-positions.json'));
      const conversation = await Conversation.open(session, target, positions);
      const greeting = await greetingLines(session, conversation);
      await talk(call, conversation, { greeting, speakers: new Speakers(session) });
      await positions.saved();
    } else {
      const conversation = await Conversation.open(session, target);
      process.exitCode = await sendLines(call, conversation);
    }
    return undefined;
  },
});

/** Returns the nametag, how to get help, the model in use, friend requests, and how many records were skipped. */
async function greetingLines(session: Session, conversation: Conversation): Promise<string> {
  const { user } = session.context.context;
  const who = user ? `You are ${user.nametag}. ` : '';
  const { agentId, backlog } = conversation;
  const [model, requests] = await Promise.all([
    modelLines(session.runtime, agentId),
    waitingRequestsText(session.graph),
  ]);
  const waiting = [requests, backlog && skippedText(backlog)].filter((line) => line !== undefined);
  return [`${who}Type /help for commands; press Ctrl-D to quit.`, ...model, ...waiting].join('\n');
}

function fileBesideConfig({ settings }: Call<ChatOptions>, name: string): string {
  return join(dirname(settings.configFile), name);
}

async function talk(
  call: Call<ChatOptions>,
  conversation: Conversation,
  { greeting, speakers }: { readonly greeting: string; readonly speakers: Speakers },
): Promise<void> {
  const { settings, global } = call;
  if (!isForPeople(global.output))
    throw new Failure(
      exitCodes.usage,
      `-o ${global.output} does not work in an interactive chat.`,
      'Pipe the messages to standard input instead.',
    );
  await chatAtTerminal(conversation, {
    input: process.stdin,
    output: process.stdout,
    colours: settings.noColour ? noColours : ansiColours,
    historyFile: fileBesideConfig(call, 'chat-history'),
    greeting,
    speakers,
  });
}

function sendLines(
  { options, global }: Call<ChatOptions>,
  conversation: Conversation,
): Promise<number> {
  const isText = isForPeople(global.output);
  const style = { colours: noColours, columns: Infinity, rows: Infinity, isLive: false };
  const screen = new ChatScreen(() => style);
  const printer = new Printer(process.stdout, { format: global.output, noColour: true });
  return chatByLines(conversation, {
    input: process.stdin,
    waitMs: options.waitFor * 1_000,
    // With -o json or yaml, standard output carries records only.
    write: (text) => void (isText ? process.stdout : process.stderr).write(text),
    async showRecord(record, isOwn) {
      if (isText) process.stdout.write(screen.showRecord(record, isOwn));
      else await printer.printNext(historyView(record));
    },
  });
}
