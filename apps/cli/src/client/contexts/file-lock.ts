import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mayBeAlive, pidExists, processStartTime } from '@daycare/local-stack/lookup';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

const retryMs = 20;
/** Longer than a change takes: it makes at most one call to identity, which ends after ten seconds by default. */
const defaultTimeoutMs = 120_000;

/** The claims made by this process. Other claims with the same process id were left behind by a killed process. */
const ownClaims = new Set<string>();

/**
 * Runs `act` under an exclusive lock on a file, across processes and within this one. A contender that has created its
 * claim file lists the claims again, so of two contenders at least one sees the claim of the other. A claim is removed
 * by its owner or, after its owner has died, by any contender.
 */
export async function withFileLock<T>(
  file: string,
  act: () => Promise<T>,
  timeoutMs = defaultTimeoutMs,
): Promise<T> {
  const { pid } = process;
  const claim = `${basename(file)}.lock.${pid}.${processStartTime(pid) ?? ''}.${randomUUID()}`;
  ownClaims.add(claim);
  try {
    await acquire(file, claim, Date.now() + timeoutMs);
    return await act();
  } finally {
    await rm(join(dirname(file), claim), { force: true });
    ownClaims.delete(claim);
  }
}

/**
 * Waits for the lock. The contender whose claim sorts first keeps its claim; the other contenders withdraw theirs and
 * retry.
 */
async function acquire(file: string, claim: string, deadlineMs: number): Promise<void> {
  const path = join(dirname(file), claim);
  for (let isClaimed = false; ; await delay(retryMs)) {
    let others = await otherClaims(file, claim);
    if (!isClaimed && others.length === 0) {
      await writeFile(path, '', { mode: 0o600 });
      isClaimed = true;
      others = await otherClaims(file, claim);
    }
    const [first] = others;
    if (first === undefined) return;
    if (Date.now() > deadlineMs) throw lockedBy(file, first);
    if (!isClaimed || claim < first) continue;
    await rm(path, { force: true });
    isClaimed = false;
  }
}

/** Returns the claims of other live contenders, sorted by name. Deletes claims whose owners are dead. */
async function otherClaims(file: string, claim: string): Promise<string[]> {
  const prefix = `${basename(file)}.lock.`;
  const names = await readdir(dirname(file));
  const others = names.filter((name) => name.startsWith(prefix) && name !== claim);
  const dead = others.filter((name) => !isHeld(name, prefix));
  await Promise.all(dead.map((name) => rm(join(dirname(file), name), { force: true })));
  return others.filter((name) => !dead.includes(name)).sort();
}

/**
 * Reports whether the owner of a claim is alive. A claim has no start time if an older CLI made it or the system
 * reports none; such a claim is held while any process has its pid.
 */
function isHeld(claim: string, prefix: string): boolean {
  const [pidText, start = '', id] = claim.slice(prefix.length).split('.');
  const pid = Number(pidText);
  if (pid === process.pid) return ownClaims.has(claim);
  return start === '' || id === undefined ? pidExists(pid) : mayBeAlive({ pid, start });
}

function lockedBy(file: string, claim: string): Failure {
  const [pid] = claim.slice(`${basename(file)}.lock.`.length).split('.');
  return new Failure(
    exitCodes.unavailable,
    `${file} is locked by process ${pid ?? '?'}.`,
    `Stop that process, or delete ${join(dirname(file), claim)} if it is stale.`,
  );
}
