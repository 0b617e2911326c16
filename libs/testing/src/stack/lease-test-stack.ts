import type { RunningService, AppName } from '@daycare/local-stack';
import { Restartable } from './restartable';
import type { DescribedProcess, StackDescription } from './stack-description';
import { assembleStack, type TestService } from './assemble-stack';
import type { TestStack, TestStackOptions } from './test-stack';

/** The variable with the URL of this Jest run's broker. */
export const brokerVariable = 'DAYCARE_TEST_STACKS_URL';

/**
 * Leases a running stack that other stories use before and after this one; `stop` returns it to the pool. Its processes
 * may be frozen and resumed, but never killed or restarted.
 */
export async function leaseTestStack(options: TestStackOptions): Promise<TestStack> {
  const description = (await call('/lease', options)) as StackDescription;
  const { natsPrefix, processes } = description;
  const services = new Map<AppName, TestService[]>();
  for (const process of processes) {
    const earlier = services.get(process.name) ?? [];
    services.set(process.name, [...earlier, await borrow(process)]);
  }
  const stop = async (): Promise<void> => {
    await call('/release', { natsPrefix });
  };
  return assembleStack({ ...description, services, mongo: undefined, nats: undefined, stop });
}

async function call(path: string, body: object): Promise<unknown> {
  const url = process.env[brokerVariable];
  if (!url) throw new Error(`${brokerVariable} is not set: stacks are shared only in Jest runs`);
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Returns a handle that can only freeze and resume a process, because the process is shared with other stories. */
export function borrow({ pid, replica: _, ...process }: DescribedProcess): Promise<TestService> {
  const refuse = (): never => {
    throw new Error(
      `${process.name} is shared with other stories; a story that stops or kills a process needs a stack of its own`,
    );
  };
  const handle: RunningService = {
    ...process,
    pid,
    exited: new Promise(() => undefined),
    lastLines: () => [],
    stop: async () => refuse(),
    kill(signal) {
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') refuse();
      globalThis.process.kill(pid, signal);
    },
  };
  return Restartable.start(async () => handle);
}
