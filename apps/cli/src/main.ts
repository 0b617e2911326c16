import { CommanderError } from 'commander';
import { readSettings } from './config';
import { describeFailure } from './failure/describe-failure';
import { exitCodes } from './failure/exit-codes';
import { buildProgram, loadEntry } from './program';

async function main(): Promise<void> {
  const program = buildProgram(readSettings());
  program.hook('preSubcommand', (_, command) => loadEntry(command));
  await program.parseAsync(withHelpOption(process.argv.slice(2)), { from: 'user' });
}

/** `help friend add` is `friend add --help`, which loads the command that it is about. */
function withHelpOption([first, ...rest]: readonly string[]): string[] {
  if (first === 'help') return [...rest, '--help'];
  return first === undefined ? [] : [first, ...rest];
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    // It has said already what is wrong.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  const { exitCode, lines } = describeFailure(error);
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

void main()
  .then(() => process.exitCode ?? exitCodes.ok, exitCodeOf)
  // Only after what was printed has been taken; connections that linger do not matter.
  .then((code) => process.stdout.write('', () => process.exit(code)));
