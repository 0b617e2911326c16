import type { Command } from 'commander';
import type { Settings } from '../../config';
import { describeFailure } from '../../failure/describe-failure';
import { DescribedFailure } from '../../failure/described-failure';
import { Printer } from '../../output/printer';
import type { View } from '../../output/view';
import { startSpinner } from '../../terminal/spinner';
import { helpOf, type AnyCommand, type Call, type Outcome } from './command';
import { confirm } from './confirm';
import { findOption } from './find-option';
import { beginInvocation, type GlobalOptions, type Invocation } from './invocation';
import { resolveNames } from './resolve-names';

/** Runs a command and prints its outcome in the requested format. */
export async function runCommand(
  spec: AnyCommand,
  command: Command,
  settings: Settings,
): Promise<void> {
  const global = command.optsWithGlobals<GlobalOptions>();
  const printer = new Printer(process.stdout, {
    format: global.output,
    noColour: settings.noColour,
  });
  const invocation = beginInvocation(settings, global);
  const program = rootOf(command);
  const stopSpinner =
    spec.ownsScreen || spec.confirm ? () => undefined : startSpinner(process.stderr);
  try {
    const call = { ...invocation, ...(await readInput(spec, command, invocation)), program };
    const outcome = await spec.run(call as unknown as Call<never>);
    await print(outcome, printer, stopSpinner);
  } catch (error) {
    throw new DescribedFailure(
      describeFailure(error, {
        hints: spec.hints,
        findOption: (field) => findOption(field, spec),
        help: helpOf(command),
      }),
    );
  } finally {
    stopSpinner();
    invocation.close();
  }
}

/** Replaces names with ids in the arguments and options, then asks for confirmation if necessary. */
async function readInput(
  spec: AnyCommand,
  command: Command,
  { session }: Invocation,
): Promise<Pick<Call<unknown>, 'args' | 'options'>> {
  const options = command.opts();
  const args = toStrings(command.processedArgs);
  // Names are resolved first, so that a person is not asked to confirm a change to an object when its name is unknown.
  const resolved = await resolveNames(spec, { args, options }, session);
  const resolvedArgs = resolved.args as readonly string[];
  if (spec.confirm && options['yes'] !== true) {
    const question = spec.confirm(args, options as never, resolvedArgs);
    if (question !== undefined) await confirm(question);
  }
  return { args: resolvedArgs, options: resolved.options };
}

async function print(outcome: Outcome, printer: Printer, beforeView: () => void): Promise<void> {
  if (outcome === undefined) return;
  // The reader of a pipe may close it early, as `head` does.
  process.stdout.once('error', () => process.exit());
  if ('render' in outcome) {
    beforeView();
    await printer.print(outcome);
    applyExitCode(outcome);
    return;
  }
  for await (const view of outcome) {
    beforeView();
    await printer.printNext(view);
    applyExitCode(view);
  }
}

function applyExitCode({ exitCode }: View): void {
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** Commander passes a variadic argument as one array, which is flattened here. */
function toStrings(args: readonly unknown[]): string[] {
  return args.flat().filter((arg): arg is string => typeof arg === 'string');
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
