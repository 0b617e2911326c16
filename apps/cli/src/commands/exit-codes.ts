import { exitCodeMeanings } from '../failure/exit-codes';
import { tableView } from '../output/table';
import { defineCommand } from './command';

const rows = Object.entries(exitCodeMeanings).map(([code, meaning]) => ({
  code: Number(code),
  meaning,
}));

export const exitCodesCommand = defineCommand({
  name: 'exit-codes',
  description: `what the exit codes mean:\n${rows.map(({ code, meaning }) => `  ${code}  ${meaning}`).join('\n')}`,
  examples: ['exit-codes', 'exit-codes -o json'],
  run: async () =>
    tableView(
      rows,
      [
        ['CODE', ({ code }) => code],
        ['MEANING', ({ meaning }) => meaning],
      ],
      '',
    ),
});
