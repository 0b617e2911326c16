import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { safeText } from '../../output/safe-text';
import type { View } from '../../output/view';
import { renderLogLine } from '../../terminal/render-log-line';
import { defineCommand } from '../kit/command';
import { parseCount } from '../kit/options';
import { dataDirOption, findDataDir } from './data-dir';
import { followLines, newestLines, type LoggedLine } from './log-lines';

interface LogsOptions {
  readonly dataDir?: string;
  readonly follow?: boolean;
  readonly lines: number;
}

/** MongoDB and NATS, whose logs are long and shown only on request. */
const servers = /^(?:mongo|nats-server)/;

export const logsCommand = defineCommand<LogsOptions>({
  name: 'logs',
  description: 'show the newest log lines of the stack running on this machine',
  args: [
    [
      '[services...]',
      'identity, social-graph, agent-runtime, topology, gateway, mongod or nats-server (default: all but the last two)',
    ],
  ],
  options: [
    ['--lines <count>', 'how many lines to show', { parse: parseCount, default: 50 }],
    ['--follow', 'show new lines as they are written'],
    dataDirOption,
  ],
  examples: ['logs', 'logs agent-runtime --follow', 'logs identity --lines 200 -o json'],
  async run({ chosen, args, options: { dataDir, follow, lines } }) {
    const folder = join(await findDataDir(dataDir, chosen), 'logs');
    const files = await findFiles(folder, args);
    const width = Math.max(...files.map((file) => nameOf(file).length));
    const newest = await newestLines(files, lines);
    if (follow) return streamLines(files, newest, width);
    return {
      data: newest.map(toData),
      render: () => newest.map((line) => render(line, width)).join('\n'),
    };
  },
});

async function* streamLines(
  files: readonly string[],
  newest: readonly LoggedLine[],
  width: number,
): AsyncGenerator<View> {
  const toView = (line: LoggedLine): View => ({
    data: toData(line),
    render: () => render(line, width),
  });
  for (const line of newest) yield toView(line);
  for await (const line of followLines(files)) yield toView(line);
}

async function findFiles(folder: string, services: readonly string[]): Promise<string[]> {
  const all = await readdir(folder).catch(() => []);
  const logs = all.filter((name) => name.endsWith('.log') && name !== 'up.log').sort();
  const isRequested = (name: string): boolean =>
    services.length === 0
      ? !servers.test(name)
      : services.includes(nameOf(name)) || services.includes(nameOf(name).replace(/-\d+$/, ''));
  const requested = logs.filter(isRequested);
  if (requested.length > 0) return requested.map((name) => join(folder, name));
  throw new Failure(
    exitCodes.notFound,
    `There are no logs for ${services.join(', ') || 'any service'} in ${folder}.`,
    logs.length === 0
      ? 'Start a stack with "daycare up".'
      : `Logs exist for ${logs.map(nameOf).join(', ')}.`,
  );
}

function toData({ file, line }: LoggedLine) {
  return { service: nameOf(file), line };
}

function render({ file, line }: LoggedLine, width: number): string {
  return `${nameOf(file).padEnd(width)} | ${safeText(renderLogLine(line))}`;
}

function nameOf(file: string): string {
  return basename(file, '.log');
}
