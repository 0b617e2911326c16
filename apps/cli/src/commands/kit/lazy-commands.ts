import type { Command } from 'commander';

const loaders = new WeakMap<Command, () => Promise<void>>();

/** Registers `load`, which adds a command's options and subcommands the first time that the command is needed. */
export function loadLazily(command: Command, load: () => Promise<void>): void {
  let loading: Promise<void> | undefined;
  loaders.set(command, () => (loading ??= load()));
}

/** Loads a command if it is registered and not loaded yet. */
export async function loadEntry(command: Command): Promise<void> {
  await loaders.get(command)?.();
}

/** Loads every command, for full help and for completion. */
export async function loadAll(program: Command): Promise<void> {
  await Promise.all(program.commands.map(loadEntry));
}
