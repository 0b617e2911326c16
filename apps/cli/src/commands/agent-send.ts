import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { findAnswer, type Answer } from '../client/find-answer';
import { resume } from '../client/resume';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { safeText } from '../output/safe-text';
import { textView } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand } from './command';
import { addTo, parseCount } from './options';

const defaultWaitSeconds = 120;

interface SendOptions {
  readonly channel: string;
  readonly file?: readonly string[];
  readonly wait?: boolean;
  readonly waitFor: number;
}

export const sendCommand = defineCommand<SendOptions>({
  name: 'send',
  description: 'say something to your agent; the first message of a channel makes its agent',
  args: [['<text>', 'what you say; - reads it from the standard input']],
  options: [
    ['--channel <name>', 'each channel has an agent of its own', { default: 'me' }],
    [
      '--file <id>',
      'a file that goes with it, uploaded before; may be given again',
      { parse: addTo },
    ],
    ['--wait', 'wait for the answer and print it'],
    [
      '--wait-for <seconds>',
      'how long to wait at most',
      { parse: parseCount, default: defaultWaitSeconds },
    ],
  ],
  examples: ['agent send "hello" --wait', 'agent send - --channel work < question.txt'],
  async run({ session, args: [text = ''], options: { channel, file = [], wait, waitFor } }) {
    const opened = await session();
    const answer = await opened.runtime.postMessage({
      requestId: opened.requestIds.next(),
      connector: 'cli',
      channelId: channel,
      connectorUserId: 'me',
      text: await readText(text),
      fileIds: [...file],
      replyTarget: '',
    });
    if (!wait) return textView(`Said to agent ${answer.agentId}`, answer);
    const reply = await waitForAnswer(opened, answer, waitFor * 1_000);
    return { ...textView(safeText(reply.text), { ...answer, ...reply }), ...exitOf(reply) };
  },
});

/** The records that follow the message, until one answers it. */
async function waitForAnswer(
  { runtime }: Session,
  posted: { messageId: string; agentId: string; afterSequence: number },
  timeoutMs: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  let { afterSequence } = posted;
  const records: HistoryRecord[] = [];
  const open = () => {
    if (signal.aborted) throw tooLate(posted.agentId);
    return runtime.watchAgent({ agentId: posted.agentId, afterSequence }, { signal });
  };
  for await (const { event } of resume(open)) {
    if (event?.$case !== 'record') continue;
    afterSequence = event.value.sequence;
    records.push(event.value);
    const answer = findAnswer(records, posted.messageId);
    if (answer) return answer;
  }
  throw new Failure(exitCodes.failure, `Agent ${posted.agentId} is dead and will not answer.`);
}

function exitOf({ failed }: Answer): { exitCode?: number } {
  return failed ? { exitCode: exitCodes.failure } : {};
}

function tooLate(agentId: string): Failure {
  return new Failure(
    exitCodes.unavailable,
    'There is no answer yet; your message is safe and will be handled.',
    `Follow it with "daycare agent watch ${agentId}".`,
  );
}
