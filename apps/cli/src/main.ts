import { CommanderError } from 'commander';
import { loadEntry } from './commands/kit/lazy-commands';
import { readSettings } from './config';
import { listVariables } from './variables';
import { describeFailure, toErrorJson } from './failure/describe-failure';
import { exitCodes } from './failure/exit-codes';
import { buildProgram, wantsJson } from './program';

const argv = process.argv.slice(2);

async function main(): Promise<void> {
  if (argv[0] === '--configuration') return printVariables();
  const program = buildProgram(readSettings(), wantsJson(argv));
  program.hook('preSubcommand', (_, command) => loadEntry(command));
  await program.parseAsync(withHelpOption(argv), { from: 'user' });
}

/** Prints the variables for docs/configuration.md, as the services do. */
function printVariables(): void {
  process.stdout.write(`${JSON.stringify(listVariables())}\n`);
}

/** Turns `help friend add` into `friend add --help`, which loads the command in question. */
function withHelpOption([first, ...rest]: readonly string[]): string[] {
  if (first === 'help') return [...rest, '--help'];
  return first === undefined ? [] : [first, ...rest];
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has already printed the error.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  const description = describeFailure(error);
  const lines = wantsJson(argv) ? [toErrorJson(description)] : description.lines;
  for (const line of lines) process.stderr.write(`${line}\n`);
  return description.exitCode;
}

void main()
  .then(() => process.exitCode ?? exitCodes.ok, exitCodeOf)
  // Exit once the output is flushed, without waiting for lingering connections.
  .then((code) => process.stdout.write('', () => process.exit(code)));
