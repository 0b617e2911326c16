import { isDaycareError, type Answer } from '@daycare/client';
import { saveReply } from '../../client/files/save-reply';
import { findUpload } from '../../client/files/transfer';
import { noReplyYet } from '../../client/no-reply-yet';
import type { Session } from '../../client/session';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { safeText } from '../../output/safe-text';
import { textView } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand } from '../kit/command';
import { collectValue, parseCount } from '../kit/options';

const defaultWaitSeconds = 120;

interface SendOptions {
  readonly channel: string;
  readonly file?: readonly string[];
  readonly saveFiles?: string;
  readonly wait?: boolean;
  readonly waitFor: number;
}

export const sendCommand = defineCommand<SendOptions>({
  name: 'send',
  description:
    'send a message to your agent; the first message in a conversation creates its agent',
  args: [['<text>', 'the message; - reads it from standard input']],
  options: [
    [
      '--channel <name>',
      'name of the conversation to send to (unrelated to "daycare channel"); each conversation has its own agent',
      { default: 'me' },
    ],
    [
      '--file <file>',
      'file to attach, or the id of an uploaded file; repeatable',
      { parse: collectValue },
    ],
    ['--wait', 'wait for the reply and print it'],
    ['--save-files <folder>', "with --wait, save the reply's files to a folder"],
    [
      '--wait-for <seconds>',
      'maximum time to wait for the reply',
      { parse: parseCount, default: defaultWaitSeconds },
    ],
  ],
  examples: [
    'agent send "hello" --wait',
    'agent send "what is this?" --file photo.jpg --wait',
    'agent send - --channel work < question.txt',
  ],
  async run({ session, args: [text = ''], options }) {
    const { channel, file = [], saveFiles: folder, wait, waitFor } = options;
    if (folder !== undefined && !wait)
      throw new Failure(exitCodes.usage, '--save-files requires --wait.');
    const opened = await session();
    const fileIds = await findUploads(opened, file);
    const agent = opened.daycare.agent({ connector: 'cli', channelId: channel });
    const requestId = opened.requestIds.next();
    const sent = await agent.send(await readText(text), { requestId, fileIds });
    if (!wait) return textView(`Sent to agent ${sent.agentId}.`, sent);
    const reply = await agent
      .answerTo(sent, { waitMs: waitFor * 1_000 })
      .catch((error: unknown) => {
        throw isDaycareError(error, 'DEADLINE_EXCEEDED') ? noReplyYet(sent.agentId) : error;
      });
    const { lines, exitCode, ...saving } = await saveReply(opened, reply, folder);
    const shown = [reply.text, ...lines].filter((line) => line !== '').join('\n');
    const view = textView(safeText(shown), { ...sent, ...reply, ...saving });
    return { ...view, ...(exitCode === undefined ? exitOf(reply) : { exitCode }) };
  },
});

/** Uploads the files to attach, unless they are given by id; returns their ids in the order of the options. */
async function findUploads(session: Session, files: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) ids.push(await findUpload(session, file));
  return ids;
}

function exitOf({ failed }: Answer): { exitCode?: number } {
  return failed ? { exitCode: exitCodes.failure } : {};
}
