import { CommanderError } from 'commander';
import { loadEntry } from './commands/kit/lazy-commands';
import { readSettings } from './config';
import { describeFailure } from './failure/describe-failure';
import { exitCodes } from './failure/exit-codes';
import { buildProgram } from './program';

async function main(): Promise<void> {
  const program = buildProgram(readSettings());
  program.hook('preSubcommand', (_, command) => loadEntry(command));
  await program.parseAsync(withHelpOption(process.argv.slice(2)), { from: 'user' });
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
  const { exitCode, lines } = describeFailure(error);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

void main()
  .then(() => process.exitCode ?? exitCodes.ok, exitCodeOf)
  // Exit once the output is flushed, without waiting for lingering connections.
  .then((code) => process.stdout.write('', () => process.exit(code)));
