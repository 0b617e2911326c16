import { dirname, join } from 'node:path';
import { chatAtTerminal } from '../chat/chat-at-terminal';
import { chatByLines } from '../chat/chat-by-lines';
import { ChatScreen } from '../chat/chat-screen';
import { Conversation } from '../chat/conversation';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { historyView } from '../output/history';
import { Printer } from '../output/printer';
import { ansiColours, noColours } from '../terminal/colours';
import { defineCommand, type Call } from './command';
import { parseCount } from './options';

interface ChatOptions {
  readonly channel: string;
  readonly agent?: string;
  readonly waitFor: number;
}

const defaultWaitSeconds = 120;

export const chatCommand = defineCommand<ChatOptions>({
  name: 'chat',
  description:
    'talk with your agent: at a terminal until you leave, else every line of the standard input until all are answered',
  options: [
    ['--channel <name>', 'each channel has an agent of its own', { default: 'me' }],
    ['--agent <id>', 'an agent that a person talks with, in place of a channel'],
    [
      '--wait-for <seconds>',
      'without a terminal: how long to wait for each answer',
      { parse: parseCount, default: defaultWaitSeconds },
    ],
  ],
  examples: ['chat', 'chat --channel work', 'chat -o json < questions.txt'],
  hints: { NOT_FOUND: 'See "daycare agent list" for the ids of yours.' },
  ownsScreen: true,
  async run(call) {
    const { agent, channel } = call.options;
    const session = await call.session();
    const conversation = await Conversation.open(session, { channel, ...(agent ? { agent } : {}) });
    const { user } = session.context.context;
    const who = user ? `You are ${user.nametag}. ` : '';
    if (process.stdin.isTTY && process.stdout.isTTY) {
      await talk(call, conversation, `${who}/help shows what you can do here; Ctrl-D leaves.`);
    } else process.exitCode = await sayLines(call, conversation);
    return undefined;
  },
});

async function talk(
  { settings, global }: Call<ChatOptions>,
  conversation: Conversation,
  greeting: string,
): Promise<void> {
  if (global.output !== 'table')
    throw new Failure(
      exitCodes.usage,
      `At a terminal there is no -o ${global.output}.`,
      'Give the lines on the standard input.',
    );
  await chatAtTerminal(conversation, {
    input: process.stdin,
    output: process.stdout,
    colours: settings.noColour ? noColours : ansiColours,
    historyFile: join(dirname(settings.configFile), 'chat-history'),
    greeting,
  });
}

function sayLines(
  { options, global }: Call<ChatOptions>,
  conversation: Conversation,
): Promise<number> {
  const isText = global.output === 'table';
  const style = { colours: noColours, columns: Infinity, rows: Infinity, isLive: false };
  const screen = new ChatScreen(() => style);
  const printer = new Printer(process.stdout, { format: global.output, noColour: true });
  return chatByLines(conversation, {
    input: process.stdin,
    waitMs: options.waitFor * 1_000,
    // What is not a record has no place among them.
    write: (text) => void (isText ? process.stdout : process.stderr).write(text),
    async showRecord(record, isOwn) {
      if (isText) process.stdout.write(screen.showRecord(record, isOwn));
      else await printer.printNext(historyView(record));
    },
  });
}
