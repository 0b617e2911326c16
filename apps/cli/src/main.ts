import { Command } from 'commander';
import { AppError } from '@daycare/errors';
import { up, type UpOptions } from './commands/up';
import { readConfig } from './config';

const program = new Command('daycare')
  .description('Runs Daycare on this machine')
  .configureHelp({ showGlobalOptions: true });

program
  .command('up')
  .description('start MongoDB, NATS and the four services, and keep them running')
  .option('--fresh', 'forget the data of earlier runs first')
  .option('--verbose', "show the services' logs")
  .option('--data-dir <folder>', 'where data and logs are kept (default: .daycare)')
  .action((options: UpOptions) => up(options, readConfig()));

program.parseAsync().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(describeFailure(error));
    process.exit(1);
  },
);

/** What a person can act on is one sentence; anything else is a bug of ours and shows where. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
