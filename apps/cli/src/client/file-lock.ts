import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';

const retryMs = 20;
/** Longer than any change takes: one call to identity at most. */
const patienceMs = 120_000;

/** The claims of this process: another may have had its id before, and been killed. */
const own = new Set<string>();

/**
 * Does something while no other process, nor anybody else in this one, does so for the same file.
 * Everybody lays a claim first, a file of their own beside it, and looks for others afterwards: of two
 * the later to look sees the other's. A claim is removed by its owner, or when its owner is dead.
 */
export async function withFileLock<T>(
  file: string,
  act: () => Promise<T>,
  giveUpAfterMs = patienceMs,
): Promise<T> {
  const claim = `${basename(file)}.lock.${process.pid}.${randomUUID()}`;
  own.add(claim);
  try {
    await take(file, claim, Date.now() + giveUpAfterMs);
    return await act();
  } finally {
    await rm(join(dirname(file), claim), { force: true });
    own.delete(claim);
  }
}

/** Of several who wait, the first by name stays and the others step back, so that one gets it. */
async function take(file: string, claim: string, deadlineMs: number): Promise<void> {
  const path = join(dirname(file), claim);
  for (let isLaid = false; ; await delay(retryMs)) {
    let others = await otherClaims(file, claim);
    if (!isLaid && others.length === 0) {
      await writeFile(path, '', { mode: 0o600 });
      isLaid = true;
      others = await otherClaims(file, claim);
    }
    const [first] = others;
    if (first === undefined) return;
    if (Date.now() > deadlineMs) throw held(file, first);
    if (!isLaid || claim < first) continue;
    await rm(path, { force: true });
    isLaid = false;
  }
}

/** Whatever else is claimed by somebody alive, in order of name. */
async function otherClaims(file: string, claim: string): Promise<string[]> {
  const prefix = `${basename(file)}.lock.`;
  const names = await readdir(dirname(file));
  const others = names.filter((name) => name.startsWith(prefix) && name !== claim);
  const dead = others.filter((name) => !isHeld(name, prefix));
  await Promise.all(dead.map((name) => rm(join(dirname(file), name), { force: true })));
  return others.filter((name) => !dead.includes(name)).sort();
}

function isHeld(claim: string, prefix: string): boolean {
  const pid = Number(claim.slice(prefix.length).split('.')[0]);
  return pid === process.pid ? own.has(claim) : isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function held(file: string, claim: string): Failure {
  const [pid] = claim.slice(`${basename(file)}.lock.`.length).split('.');
  return new Failure(
    exitCodes.unavailable,
    `${file} is being changed by process ${pid ?? '?'}.`,
    `End that; if it is no "daycare", remove ${join(dirname(file), claim)}.`,
  );
}
