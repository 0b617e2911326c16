import { spawn } from 'node:child_process';
import { fchmodSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readStackFile } from '@daycare/local-stack/lookup';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

const pollMs = 100;

/** The file in the data folder to which a stack that runs in the background writes its output. */
const detachedLog = 'up.log';

/**
 * Runs `daycare up` in the background with the given arguments. Once the stack is ready, resolves with the output,
 * including the start screen; throws if the process exits before that.
 */
export async function startDetached(dataDir: string, args: readonly string[]): Promise<string> {
  const logFile = join(dataDir, detachedLog);
  await mkdir(dataDir, { recursive: true });
  // Only its owner may read the file: a new credential is printed to it once.
  const log = openSync(logFile, 'w', 0o600);
  fchmodSync(log, 0o600);
  const program = process.argv[1] ?? '';
  const child = spawn(process.execPath, [program, 'up', ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  // Interrupting the wait also stops the stack.
  const cancel = (): void => void child.kill('SIGTERM');
  process.once('SIGINT', cancel);
  while (child.exitCode === null && child.signalCode === null) {
    const printed = readFileSync(logFile, 'utf8');
    const isReady = readStackFile(dataDir)?.launcher.pid === child.pid;
    if (isReady && printed.includes(readyLine)) {
      process.removeListener('SIGINT', cancel);
      child.unref();
      return printed.slice(0, printed.indexOf(readyLine)).trimEnd();
    }
    await delay(pollMs);
  }
  const [, ...reasons] = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  throw new Failure(
    exitCodes.failure,
    reasons.join('\n').trim(),
    `The complete output is in ${logFile}.`,
  );
}

/** The last line of the start screen. */
const readyLine = 'Press Ctrl-C to stop everything.';
