import { exitCodeMeanings } from '../../failure/exit-codes';
import { tableView } from '../../output/table';
import { defineCommand } from '../kit/command';

const rows = Object.entries(exitCodeMeanings).map(([code, meaning]) => ({
  code: Number(code),
  meaning,
}));

export const exitCodesCommand = defineCommand({
  name: 'exit-codes',
  description: `explain the exit codes:\n${rows.map(({ code, meaning }) => `  ${code}  ${meaning}`).join('\n')}`,
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
