import type { Command } from 'commander';

const loaders = new WeakMap<Command, () => Promise<void>>();

/** Fills a command by `load` the first time it is needed. */
export function loadLazily(command: Command, load: () => Promise<void>): void {
  let loading: Promise<void> | undefined;
  loaders.set(command, () => (loading ??= load()));
}

/** Loads what belongs to one word of the command line. */
export async function loadEntry(command: Command): Promise<void> {
  await loaders.get(command)?.();
}

/** Loads every command, for full help and for completion. */
export async function loadAll(program: Command): Promise<void> {
  await Promise.all(program.commands.map(loadEntry));
}
