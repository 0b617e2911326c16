import { Command, Option } from 'commander';
import { version } from '../package.json';
import { catalog, type CatalogEntry } from './commands/catalog';
import { helpOf, install, type AnyCommand } from './commands/kit/command';
import { loadLazily } from './commands/kit/lazy-commands';
import { parseCount } from './commands/kit/options';
import { runCommand } from './commands/kit/run-command';
import type { Settings } from './config';
import { toErrorJson } from './failure/describe-failure';
import { exitCodes } from './failure/exit-codes';
import { formats } from './output/printer';

/**
 * Builds the whole program. Commands are loaded when they are used, or all together by `loadAll`.
 * Where commander would exit the process, the program throws a CommanderError; it also throws what commands throw.
 */
export function buildProgram(settings: Settings, hasJsonErrors = false): Command {
  const program = new Command('daycare')
    .description('Run Daycare on this machine and talk to a local or remote stack')
    .version(version, '-V, --version', 'print the version')
    .addOption(
      new Option(
        '-o, --output <format>',
        'output format; "wide" shows every column, "name" prints only names or ids',
      )
        .choices(formats)
        .default('table'),
    )
    .option('--context <name>', 'context to use instead of the current one')
    .option('--timeout <seconds>', 'seconds to wait for a response (default: 10)', parseCount)
    .option(
      '--request-id <id>',
      'idempotency key; repeating a command with the same id has no further effect',
    )
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command, e.g. daycare help friend')
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError('Run "daycare help" for a list of commands.')
    .exitOverride();
  if (hasJsonErrors) printErrorsAsJson(program);
  const act = (spec: AnyCommand, command: Command): Promise<void> =>
    runCommand(spec, command, settings);
  for (const entry of catalog) addEntry(program, entry, act);
  return program;
}

/** Reports whether the command line requests JSON. Also works for a command line that cannot be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  return /(?:^| )(?:-o ?|--output[= ])json(?: |$)/.test(argv.join(' '));
}

/** Prints commander's errors as JSON, with only their first line, because the rest is advice. */
function printErrorsAsJson(program: Command): void {
  program.configureOutput({
    outputError: (text, write) => {
      const [first = ''] = text.trim().split('\n');
      const message = first.replace(/^error: /, '');
      write(`${toErrorJson({ exitCode: exitCodes.usage, message })}\n`);
    },
    writeErr: (text) => {
      // Only the error itself is written, not the help after it.
      if (text.startsWith('{')) process.stderr.write(text);
    },
  });
}

type Act = (spec: AnyCommand, command: Command) => Promise<void>;

function addEntry(program: Command, { name, description, load }: CatalogEntry, act: Act): void {
  const command = program.command(name).description(description);
  loadLazily(command, async () => {
    const loaded = await load();
    if ('run' in loaded) return install(command, loaded, act);
    command.showHelpAfterError(`Run "${helpOf(command)}" for a list of commands.`);
    for (const spec of loaded) install(command.command(spec.name), spec, act);
  });
}
