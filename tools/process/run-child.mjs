/** Runs a program that does not outlive this one: a signal to this process ends the program and all its children. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Resolves with the exit status and, if the child's output is piped, what it wrote. The child has a process
 * group of its own, since npm and Nx do not end their children; after a signal, this process exits once the
 * child has exited.
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
    // It has just ended.
  }
}
