/** Runs programs that do not outlive this process: a signal to it ends a program and all of the program's children. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program. Resolves with its exit status and, if its output is piped, what it wrote. The program gets its own
 * process group, because npm and Nx do not end their children. After a signal, this process exits as soon as the
 * program has exited.
 */
export function runChild(command, args, options) {
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  const output = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes) => output.push(bytes));
  let received;
  const forward = (signal) => {
    received ??= signal;
    endGroup(child, signal);
  };
  for (const signal of signals) process.on(signal, forward);
  return new Promise((done) => {
    const finish = (status) => {
      for (const signal of signals) process.off(signal, forward);
      if (received) process.exit(128 + constants.signals[received]);
      done({ status, output: Buffer.concat(output).toString() });
    };
    child.once('error', () => finish(1));
    child.once('close', (code) => finish(code ?? 1));
  });
}

function endGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // The child has just exited.
  }
}
