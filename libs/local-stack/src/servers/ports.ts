import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * The ports for servers, below the range from which operating systems take client ports. A client that keeps retrying a
 * port in that range while its server is down can end up connected to itself, and then blocks the server's port.
 */
const portRange = { from: 12_000, to: 32_000 };

/** Listens on a port to reserve it; undefined when it is in use. */
export async function holdPort(port: number, host = '127.0.0.1'): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

export async function releasePort(held: Server): Promise<void> {
  await new Promise((resolve) => held.close(resolve));
}

export async function isPortFree(port: number): Promise<boolean> {
  const held = await holdPort(port);
  if (held) await releasePort(held);
  return held !== undefined;
}

/**
 * Claims a port by listening on the same port of 127.0.0.2; closing the returned server ends the claim. Without a
 * claim, the port would look free to other launchers while its server is starting or restarting. Returns `taken` if
 * another launcher has claimed the port, and undefined where claiming is impossible: only Linux has this address
 * without configuration.
 */
export async function claimPort(port: number): Promise<Server | undefined | 'taken'> {
  if (process.platform !== 'linux') return undefined;
  try {
    const claim = await holdPort(port, '127.0.0.2');
    claim?.unref();
    return claim ?? 'taken';
  } catch {
    return undefined;
  }
}

/** Picks a random port in the range, free or not. */
export function pickPort(): number {
  return randomInt(portRange.from, portRange.to);
}

/**
 * Chooses a port that is neither in use nor claimed. Another program may take it before the caller does, so the caller
 * must be able to try another port.
 */
export async function chooseFreePort(pick = pickPort): Promise<number> {
  for (;;) {
    const port = pick();
    const claim = await claimPort(port);
    if (claim === 'taken') continue;
    if (claim) await releasePort(claim);
    if (await isPortFree(port)) return port;
  }
}
