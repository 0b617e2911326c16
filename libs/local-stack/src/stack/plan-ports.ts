import type { Server } from 'node:net';
import { cannotStart, reasonOf } from '../cannot-start';
import { claimPort, holdPort, pickPort, releasePort } from '../servers/ports';

/** One port that is needed, and what is known about which. */
export interface PortWish {
  readonly owner: string;
  /** Only this one will do: a person asked for it by this variable. */
  readonly configured?: { readonly port: number; readonly variable: string };
  /** Taken when it is free. */
  readonly preferred?: number;
}

/** A port kept for us. Call `open` right before its user listens on it, `giveUp` when all is over. */
export interface PlannedPort {
  readonly port: number;
  open(): Promise<void>;
  giveUp(): Promise<void>;
}

/**
 * Finds a port for every wish, in the order of the wishes, and keeps other programs off them until
 * they are opened. Throws a sentence when a configured one is taken.
 */
export async function planPorts(wishes: readonly PortWish[]): Promise<PlannedPort[]> {
  const planned = new Map<PortWish, PlannedPort>();
  try {
    for (const wish of [...wishes].sort(configuredFirst)) planned.set(wish, await plan(wish));
  } catch (error) {
    await Promise.all([...planned.values()].map((port) => port.giveUp()));
    throw error;
  }
  return wishes.flatMap((wish) => planned.get(wish) ?? []);
}

/** A default must not take a port that somebody asked for. */
function configuredFirst(a: PortWish, b: PortWish): number {
  return Number(b.configured !== undefined) - Number(a.configured !== undefined);
}

async function plan(wish: PortWish): Promise<PlannedPort> {
  if (wish.configured) return planConfigured(wish.owner, wish.configured);
  const preferred = wish.preferred === undefined ? undefined : await keep(wish.preferred);
  return preferred ?? planAny();
}

async function planConfigured(
  owner: string,
  { port, variable }: { port: number; variable: string },
): Promise<PlannedPort> {
  const kept = await keep(port).catch((error: unknown) => {
    throw cannotStart(
      `${owner} cannot have port ${port} (${reasonOf(error)}); set ${variable} to another one.`,
      error,
    );
  });
  if (kept) return kept;
  throw cannotStart(
    `Port ${port}, which ${owner} is to listen on, is taken; stop the program that has it or set ${variable} to a free port.`,
  );
}

async function planAny(): Promise<PlannedPort> {
  for (;;) {
    const kept = await keep(pickPort());
    if (kept) return kept;
  }
}

async function keep(port: number): Promise<PlannedPort | undefined> {
  const claim = await claimPort(port);
  if (claim === 'taken') return undefined;
  const hold = await holdPort(port).catch(async (error: unknown) => {
    await giveBack(claim);
    throw error;
  });
  if (hold) return toPlannedPort(port, hold, claim);
  await giveBack(claim);
  return undefined;
}

function toPlannedPort(port: number, hold: Server, claim: Server | undefined): PlannedPort {
  let held: Server | undefined = hold;
  const open = async (): Promise<void> => {
    const listener = held;
    held = undefined;
    await giveBack(listener);
  };
  return {
    port,
    open,
    async giveUp() {
      await open();
      await giveBack(claim);
    },
  };
}

async function giveBack(listener: Server | undefined): Promise<void> {
  if (listener?.listening) await releasePort(listener);
}
