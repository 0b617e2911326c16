import type { Command } from 'commander';
import type { Settings } from '../../config';
import { describeFailure } from '../../failure/describe-failure';
import { Failure } from '../../failure/failure';
import { Printer } from '../../output/printer';
import type { View } from '../../output/view';
import { startSpinner } from '../../terminal/spinner';
import type { AnyCommand, Call, Outcome } from './command';
import { beginInvocation, type GlobalOptions } from './invocation';
import { findOption } from './find-option';

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
  const stopSpinner = spec.ownsScreen ? () => undefined : startSpinner(process.stderr);
  try {
    const call = {
      ...invocation,
      args: toStrings(command.processedArgs),
      options: command.opts(),
      program: rootOf(command),
    };
    const outcome = await spec.run(call as unknown as Call<never>);
    await print(outcome, printer, stopSpinner);
  } catch (error) {
    const { exitCode, lines } = describeFailure(error, {
      hints: spec.hints,
      findOption: (field) => findOption(field, spec),
    });
    throw new Failure(exitCode, lines.join('\n'));
  } finally {
    stopSpinner();
    invocation.close();
  }
}

async function print(outcome: Outcome, printer: Printer, onFirst: () => void): Promise<void> {
  if (outcome === undefined) return;
  // The reader of a pipe may close it early, as `head` does.
  process.stdout.once('error', () => process.exit());
  if ('render' in outcome) {
    onFirst();
    await printer.print(outcome);
    applyExitCode(outcome);
    return;
  }
  for await (const view of outcome) {
    onFirst();
    await printer.printNext(view);
    applyExitCode(view);
  }
}

function applyExitCode({ exitCode }: View): void {
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** Commander gives a variadic argument as one array; flatten it. */
function toStrings(args: readonly unknown[]): string[] {
  return args.flat().filter((arg): arg is string => typeof arg === 'string');
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
