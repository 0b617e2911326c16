import type { Server } from 'node:net';
import { cannotStart, reasonOf } from '../process/cannot-start';
import { claimPort, holdPort, pickPort, releasePort } from '../servers/ports';

/** A request for a port, perhaps for a particular one. */
export interface PortRequest {
  readonly owner: string;
  /** A person has set this port with this variable; no other is acceptable. */
  readonly configured?: { readonly port: number; readonly variable: string };
  /** Used if it is free. */
  readonly preferred?: number;
}

/**
 * A reserved port. Call `open`, which frees it for its server, right before the server starts, and `release` at the
 * end.
 */
export interface PlannedPort {
  readonly port: number;
  open(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Returns a port for each request, in the order of the requests, and reserves it until it is opened. Throws if a
 * configured port is in use or may not be used.
 */
export async function planPorts(requests: readonly PortRequest[]): Promise<PlannedPort[]> {
  const planned = new Map<PortRequest, PlannedPort>();
  try {
    for (const request of [...requests].sort(configuredFirst))
      planned.set(request, await plan(request));
  } catch (error) {
    await Promise.all([...planned.values()].map((port) => port.release()));
    throw error;
  }
  return requests.flatMap((request) => planned.get(request) ?? []);
}

/** Sorts configured ports first, because a default must not occupy a port that a person has set. */
function configuredFirst(a: PortRequest, b: PortRequest): number {
  return Number(b.configured !== undefined) - Number(a.configured !== undefined);
}

async function plan(request: PortRequest): Promise<PlannedPort> {
  if (request.configured) return planConfigured(request.owner, request.configured);
  const preferred = request.preferred === undefined ? undefined : await reserve(request.preferred);
  return preferred ?? planAny();
}

async function planConfigured(
  owner: string,
  { port, variable }: { port: number; variable: string },
): Promise<PlannedPort> {
  const reserved = await reserve(port).catch((error: unknown) => {
    throw cannotStart(
      `${owner} cannot use port ${port} (${reasonOf(error)}); set ${variable} to another one.`,
      error,
    );
  });
  if (reserved) return reserved;
  throw cannotStart(
    `Port ${port}, configured for ${owner}, is in use; stop the program that uses it or set ${variable} to a free port.`,
  );
}

async function planAny(): Promise<PlannedPort> {
  for (;;) {
    const reserved = await reserve(pickPort());
    if (reserved) return reserved;
  }
}

async function reserve(port: number): Promise<PlannedPort | undefined> {
  const claim = await claimPort(port);
  if (claim === 'taken') return undefined;
  const hold = await holdPort(port).catch(async (error: unknown) => {
    await closeIfOpen(claim);
    throw error;
  });
  if (hold) return toPlannedPort(port, hold, claim);
  await closeIfOpen(claim);
  return undefined;
}

function toPlannedPort(port: number, hold: Server, claim: Server | undefined): PlannedPort {
  let held: Server | undefined = hold;
  const open = async (): Promise<void> => {
    const listener = held;
    held = undefined;
    await closeIfOpen(listener);
  };
  return {
    port,
    open,
    async release() {
      await open();
      await closeIfOpen(claim);
    },
  };
}

async function closeIfOpen(listener: Server | undefined): Promise<void> {
  if (listener?.listening) await releasePort(listener);
}
