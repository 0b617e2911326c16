import { Command, Option } from 'commander';
import { catalog, type CatalogEntry } from './commands/catalog';
import { install, type AnyCommand } from './commands/command';
import { parseCount } from './commands/options';
import { runCommand } from './commands/run-command';
import type { Settings } from './config';
import { formats } from './output/printer';

const version = '0.1.0';

/**
 * The whole program. What stands behind a word is loaded when it is used, or all of it by `loadAll`.
 * Throws CommanderErrors and whatever commands throw; it never ends the process.
 */
export function buildProgram(settings: Settings): Command {
  const program = new Command('daycare')
    .description('Runs Daycare on this machine and talks to it, here or elsewhere')
    .version(version, '-V, --version', 'show the version')
    .addOption(
      new Option('-o, --output <format>', 'how to print').choices(formats).default('table'),
    )
    .option('--context <name>', 'the context to use in place of the current one')
    .option('--timeout <seconds>', 'how long to wait for an answer (default: 10)', parseCount)
    .option('--request-id <id>', 'repeat an earlier command without repeating its effect')
    .helpCommand('help [command]', 'show help, e.g. daycare help friend')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See "daycare help" for what there is.')
    .exitOverride();
  const act = (spec: AnyCommand, command: Command): Promise<void> =>
    runCommand(spec, command, settings);
  for (const entry of catalog) addEntry(program, entry, act);
  return program;
}

type Act = (spec: AnyCommand, command: Command) => Promise<void>;

const loaders = new WeakMap<Command, () => Promise<void>>();

function addEntry(program: Command, { name, description, load }: CatalogEntry, act: Act): void {
  const command = program.command(name).description(description);
  let loading: Promise<void> | undefined;
  const fill = async (): Promise<void> => {
    const loaded = await load();
    if ('run' in loaded) return install(command, loaded, act);
    for (const spec of loaded) install(command.command(spec.name), spec, act);
  };
  const loadOnce = (): Promise<void> => (loading ??= fill());
  loaders.set(command, loadOnce);
}

/** Has every command there, for help in full and for completion. */
export async function loadAll(program: Command): Promise<void> {
  await Promise.all(program.commands.map(loadEntry));
}

/** Has what stands behind one word there. */
export async function loadEntry(command: Command): Promise<void> {
  await loaders.get(command)?.();
}
