import { readFile, writeFile } from 'node:fs/promises';
import { cannotStart } from '../process/cannot-start';
import { chooseFreePort, claimPort, isPortFree } from './ports';

const maxAttempts = 5;
/** The ports that this process has claimed until it ends, even while their servers are down. */
const claimedPorts = new Set<number>();

/**
 * Thrown when a port turns out to be in use or claimed. Another port is then tried, unless a particular one is
 * required.
 */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

export interface RememberedPort {
  readonly name: string;
  /** Where the port is stored between runs. */
  readonly file: string;
  /** The only acceptable port; by default any port will do. */
  readonly required?: number;
}

/**
 * Starts a server on the port of its last run if that is still free, otherwise on another one, and stores the port, so
 * that addresses stay the same from run to run. Tries only the required port if there is one.
 */
export async function startOnRememberedPort<T>(
  port: RememberedPort,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const candidate = await chooseCandidate(port, attempt);
    try {
      // Otherwise another program's server would be mistaken for the one just started.
      if (!(await isPortFree(candidate))) throw new PortTakenError();
      if (port.required === undefined) await claim(candidate);
      const started = await start(candidate);
      await writeFile(port.file, `${candidate}\n`);
      return started;
    } catch (error) {
      const isLast = attempt >= maxAttempts || port.required !== undefined;
      if (!(error instanceof PortTakenError) || isLast)
        throw explainPortTaken(error, port, candidate);
    }
  }
}

/**
 * Claims a free port: on Linux, no other launcher chooses it until this process ends, even while the server on it is
 * down.
 */
export async function claimFreePort(): Promise<number> {
  for (;;) {
    const port = await chooseFreePort();
    if (await tryToClaim(port)) return port;
  }
}

async function claim(port: number): Promise<void> {
  if (!claimedPorts.has(port) && !(await tryToClaim(port))) throw new PortTakenError();
}

async function tryToClaim(port: number): Promise<boolean> {
  if ((await claimPort(port)) === 'taken') return false;
  claimedPorts.add(port);
  return true;
}

async function chooseCandidate(port: RememberedPort, attempt: number): Promise<number> {
  if (port.required !== undefined) return port.required;
  const remembered = attempt === 1 ? await readPort(port.file) : undefined;
  return remembered ?? chooseFreePort();
}

/** Reads the port of the last run; undefined when there was none. */
export async function readPort(file: string): Promise<number | undefined> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function explainPortTaken(error: unknown, port: RememberedPort, candidate: number): unknown {
  if (!(error instanceof PortTakenError)) return error;
  return cannotStart(
    `Port ${candidate} for ${port.name} is in use by another program; stop that program or choose another port.`,
    error,
  );
}
