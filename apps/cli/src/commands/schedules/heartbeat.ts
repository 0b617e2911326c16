import type { ScheduleRun } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { listHeartbeats } from '../../names/schedules';
import { toAge } from '../../output/age';
import { recordView } from '../../output/record';
import { shortId } from '../../output/short-id';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { toWord, toYesNo } from '../../output/words';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';
import { ageOfRun } from './run-words';

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your heartbeats and their last runs, oldest first',
  options: [limitOption],
  examples: ['heartbeat list', 'heartbeat list -o json'],
  async run({ session, options }) {
    return tableView(
      await listHeartbeats(await session(), options.limit),
      [
        ['ID', ({ id }) => id, 'id'],
        ['TITLE', ({ title }) => title, 'long'],
        ['QUIET', ({ quiet }) => toYesNo(quiet)],
        ['LAST RUN', ({ lastRun, lastRunAt }) => lastRunText(lastRun, lastRunAt), 'long'],
        ['WRITTEN BY', ({ writtenBy }) => toWord(Trust, writtenBy), 'wide'],
        ['PROMPT', ({ prompt }) => prompt, 'long'],
      ],
      'You have no heartbeats.',
    );
  },
});

const add = defineCommand<{ quiet?: boolean }>({
  name: 'add',
  description:
    'add a prompt to the batch that runs every half hour by default; reports are shown in your most recent chat',
  args: [
    ['<title>', 'title of the heartbeat, up to 100 characters'],
    ['<prompt>', 'prompt for the agent; - reads it from standard input'],
  ],
  options: [['--quiet', 'do not show the reports']],
  examples: ['heartbeat add Mail "Check for new mail"', 'heartbeat add Mail - < prompt.md'],
  async run({ session, args: [title = '', prompt = ''], options: { quiet = false } }) {
    const { runtime, requestIds } = await session();
    const spec = { title, prompt: await readText(prompt), quiet };
    const request = { requestId: requestIds.next(), ...spec };
    const { heartbeat } = await runtime.createHeartbeat(request);
    return recordView(heartbeat, [
      ['id', heartbeat?.id ?? ''],
      ['title', heartbeat?.title ?? ''],
      ['prompt', heartbeat?.prompt ?? ''],
    ]);
  },
});

const remove = defineCommand({
  name: 'remove',
  description: 'remove a heartbeat; takes effect with the next batch',
  args: [['<heartbeat>', 'title, or id from "daycare heartbeat list"', { kind: 'heartbeat' }]],
  examples: ['heartbeat remove Mail'],
  hints: { NOT_FOUND: 'Run "daycare heartbeat list" to see your heartbeats.' },
  async run({ session, args: [heartbeatId = ''] }) {
    const opened = await session();
    await opened.runtime.deleteHeartbeat({ requestId: opened.requestIds.next(), heartbeatId });
    return textView(`Removed heartbeat ${shortId(heartbeatId)}.`, { heartbeatId });
  },
});

function lastRunText(run: ScheduleRun | undefined, at: Date | undefined): string {
  const now = new Date();
  return run ? ageOfRun(run, now) : toAge(at, now);
}

export const heartbeatCommands: readonly AnyCommand[] = [list, add, remove];
