import { OverlapPolicy, type Cron } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { enumOf, type EnumWord } from '@daycare/contracts/enum-words';
import { listCrons } from '../../names/schedules';
import { recordView } from '../../output/record';
import { shortId } from '../../output/short-id';
import { tableView } from '../../output/table';
import { textView, type View } from '../../output/view';
import { toTime, toWord, toYesNo } from '../../output/words';
import { readText } from '../../terminal/read-input';
import { defineCommand, type AnyCommand, type Call } from '../kit/command';
import { limitOption, onlyAgent, type ForAgent, type Limited } from '../kit/options';
import { ageOfRun, runWords, statusWord } from './run-words';

const cronArg = ['<cron>', 'name, or id from "daycare cron list"', { kind: 'cron' }] as const;
const hints = { NOT_FOUND: 'Run "daycare cron list" to see your crons.' };

type Overlap = EnumWord<typeof OverlapPolicy>;

const overlapOption = (defaultNote: string) =>
  [
    '--overlap <policy>',
    `what to do when the cron is due while its previous run is still in progress${defaultNote}`,
    { choices: ['skip', 'queue', 'replace'] },
  ] as const;
const zoneOption = (defaultNote: string) =>
  ['--time-zone <name>', `IANA time zone, e.g. Europe/Vienna${defaultNote}`] as const;

const quietOption = [
  '--quiet',
  "do not show the answers (no effect if the cron's agent is one that you chat with)",
] as const;

interface CronOptions {
  readonly timeZone?: string;
  readonly overlap?: Overlap;
}

const list = defineCommand<Limited>({
  name: 'list',
  description: 'list your crons and their last runs, oldest first',
  options: [limitOption],
  examples: ['cron list', 'cron list -o json'],
  async run({ session, options }) {
    return tableView(
      await listCrons(await session(), options.limit),
      [
        ['ID', ({ id }) => id, 'id'],
        ['NAME', ({ name }) => name, 'long'],
        ['SCHEDULE', ({ schedule }) => schedule],
        ['STATUS', statusWord],
        ['NEXT', ({ nextFireAt }) => nextFireAt],
        ['LAST RUN', ({ lastRun }) => ageOfRun(lastRun, new Date()), 'long'],
        ['TIME ZONE', ({ timeZone }) => timeZone, 'wide'],
        ['WRITTEN BY', ({ writtenBy }) => toWord(Trust, writtenBy), 'wide'],
        ['PROMPT', ({ prompt }) => prompt, 'long'],
      ],
      'You have no crons.',
    );
  },
});

const show = defineCommand({
  name: 'show',
  description: 'show a cron and its recent runs',
  args: [cronArg],
  examples: ['cron show tea', 'cron show tea -o json'],
  hints,
  async run({ session, args: [cronId = ''] }) {
    const opened = await session();
    const { cron } = await opened.runtime.getCron({ cronId });
    const runs = (cron?.recentRuns ?? []).map((run) => ['run', runWords(run)] as const);
    return cronView(cron, runs);
  },
});

const scheduleFields =
  'five fields: minute, hour, day of month, month, day of week; if neither day field is *, the cron runs on days that match either one';

const add = defineCommand<ForAgent & CronOptions & { once?: boolean; quiet?: boolean }>({
  name: 'add',
  description:
    'schedule a prompt; answers are shown in your most recent chat or, if --agent names an agent that you chat with, in the chat with that agent',
  args: [
    ['<name>', 'name of the cron, up to 100 characters'],
    ['<schedule>', scheduleFields],
    ['<prompt>', 'prompt for the agent; - reads it from standard input'],
  ],
  options: [
    zoneOption(' (default: your own, or UTC if you have none)'),
    onlyAgent(
      "agent that runs the prompt (default: the cron's own agent, which starts each run with an empty context)",
    ),
    ['--once', 'run only once'],
    overlapOption(' (default: skip)'),
    quietOption,
  ],
  examples: [
    'cron add standup "0 9 * * 1-5" "Ask how it is going" --time-zone Europe/Vienna',
    'cron add report "0 17 * * 5" - < prompt.md',
    'cron add tidy "0 3 * * *" "Tidy up my notes" --quiet --overlap replace',
  ],
  async run({ session, args: [name = '', schedule = '', prompt = ''], options }) {
    const { runtime, requestIds } = await session();
    const { timeZone = '', agent: agentId = '', once = false, quiet = false } = options;
    const { cron } = await runtime.createCron({
      requestId: requestIds.next(),
      name,
      schedule,
      timeZone,
      agentId,
      once,
      quiet,
      overlap: enumOf(OverlapPolicy, options.overlap ?? 'skip'),
      prompt: await readText(prompt),
    });
    return cronView(cron);
  },
});

interface EditOptions extends CronOptions {
  readonly name?: string;
  readonly schedule?: string;
  readonly prompt?: string;
  readonly quiet?: boolean;
}

const edit = defineCommand<EditOptions>({
  name: 'edit',
  description: 'change a cron; omitted options stay the same',
  args: [cronArg],
  options: [
    ['--name <name>', 'new name, up to 100 characters'],
    ['--schedule <schedule>', scheduleFields],
    ['--prompt <prompt>', 'new prompt; - reads it from standard input'],
    zoneOption(''),
    overlapOption(''),
    quietOption,
    ['--no-quiet', 'show the answers'],
  ],
  examples: ['cron edit tea --schedule "0 17 * * *"', 'cron edit tea --name coffee --quiet'],
  hints,
  async run({ session, args: [cronId = ''], options }) {
    const opened = await session();
    const { name, schedule, timeZone, quiet, overlap, prompt } = options;
    const { cron } = await opened.runtime.updateCron({
      requestId: opened.requestIds.next(),
      cronId,
      name,
      schedule,
      timeZone,
      quiet,
      overlap: overlap && enumOf(OverlapPolicy, overlap),
      prompt: prompt === undefined ? undefined : await readText(prompt),
    });
    return cronView(cron);
  },
});

const run = defineCommand({
  name: 'run',
  description: 'run a cron now, even if it is paused; its schedule does not change',
  args: [cronArg],
  examples: ['cron run tea'],
  hints,
  async run({ session, args: [cronId = ''] }) {
    const opened = await session();
    const requestId = opened.requestIds.next();
    return cronView((await opened.runtime.runCron({ requestId, cronId })).cron);
  },
});

const pause = defineCommand({
  name: 'pause',
  description: 'pause a cron',
  args: [cronArg],
  examples: ['cron pause tea'],
  hints,
  run: (call) => setEnabled(call, false),
});

const resume = defineCommand({
  name: 'resume',
  description: 'resume a paused cron; missed runs are skipped',
  args: [cronArg],
  examples: ['cron resume tea'],
  hints,
  run: (call) => setEnabled(call, true),
});

async function setEnabled({ session, args }: Call<object>, enabled: boolean): Promise<View> {
  const opened = await session();
  const [cronId = ''] = args;
  const request = { requestId: opened.requestIds.next(), cronId, resume: enabled };
  return cronView((await opened.runtime.pauseCron(request)).cron);
}

const remove = defineCommand({
  name: 'remove',
  description: 'remove a cron',
  args: [cronArg],
  examples: ['cron remove tea'],
  hints,
  async run({ session, args: [cronId = ''] }) {
    const opened = await session();
    await opened.runtime.deleteCron({ requestId: opened.requestIds.next(), cronId });
    return textView(`Removed cron ${shortId(cronId)}.`, { cronId });
  },
});

function cronView(cron: Cron | undefined, runs: readonly (readonly [string, string])[] = []): View {
  return recordView(cron, [
    ['id', cron?.id ?? ''],
    ['name', cron?.name ?? ''],
    ['schedule', cron?.schedule ?? ''],
    ['time zone', cron?.timeZone ?? ''],
    ['status', cron ? statusWord(cron) : ''],
    ['next', toTime(cron?.nextFireAt)],
    ['overlap', toWord(OverlapPolicy, cron?.overlap)],
    ['quiet', toYesNo(cron?.quiet ?? false)],
    ['agent', cron?.agentId ?? ''],
    ['prompt', cron?.prompt ?? ''],
    ['last run', runWords(cron?.lastRun)],
    ...runs,
  ]);
}

export const cronCommands: readonly AnyCommand[] = [
  list,
  show,
  add,
  edit,
  run,
  pause,
  resume,
  remove,
];
