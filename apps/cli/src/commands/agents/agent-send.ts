import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { saveReply } from '../../client/files/save-reply';
import { findUpload } from '../../client/files/transfer';
import { findAnswer, noReplyYet, type Answer } from '../../client/find-answer';
import { resume } from '../../client/rpc/resume';
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
  description: 'send a message to your agent; the first message in a channel creates its agent',
  args: [['<text>', 'the message; - reads it from standard input']],
  options: [
    ['--channel <name>', 'channel to send to; each channel has its own agent', { default: 'me' }],
    [
      '--file <path>',
      'file to attach, or the id of one that is uploaded; repeatable',
      { parse: collectValue },
    ],
    ['--wait', 'wait for the reply and print it'],
    ['--save-files <folder>', 'with --wait, save the files of the reply to a folder'],
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
      throw new Failure(exitCodes.usage, '--save-files needs --wait.');
    const opened = await session();
    const fileIds = await findUploads(opened, file);
    const answer = await opened.runtime.postMessage({
      requestId: opened.requestIds.next(),
      connector: 'cli',
      channelId: channel,
      connectorUserId: 'me',
      text: await readText(text),
      fileIds,
      replyTarget: '',
    });
    if (!wait) return textView(`Sent to agent ${answer.agentId}.`, answer);
    const reply = await waitForAnswer(opened, answer, waitFor * 1_000);
    const { lines, exitCode, ...saving } = await saveReply(opened, reply, folder);
    const shown = [reply.text, ...lines].filter((line) => line !== '').join('\n');
    const view = textView(safeText(shown), { ...answer, ...reply, ...saving });
    return { ...view, ...(exitCode === undefined ? exitOf(reply) : { exitCode }) };
  },
});

/** In the order of the options. */
async function findUploads(session: Session, files: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) ids.push(await findUpload(session, file));
  return ids;
}

/** Watches the records that follow the message until one answers it. */
async function waitForAnswer(
  { runtime }: Session,
  posted: { messageId: string; agentId: string; afterSequence: number },
  timeoutMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  let { afterSequence } = posted;
  const records: HistoryRecord[] = [];
  const open = () => {
    if (signal.aborted) throw noReplyYet(posted.agentId);
    return runtime.watchAgent({ agentId: posted.agentId, afterSequence }, { signal });
  };
  for await (const { event } of resume(open)) {
    if (event?.$case !== 'record') continue;
    afterSequence = event.value.sequence;
    records.push(event.value);
    const answer = findAnswer(records, posted.messageId);
    if (answer) return answer;
  }
  throw new Failure(exitCodes.failure, `Agent ${posted.agentId} is dead and will not reply.`);
}

function exitOf({ failed }: Answer): { exitCode?: number } {
  return failed ? { exitCode: exitCodes.failure } : {};
}
