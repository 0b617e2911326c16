import { afterAll, beforeAll } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { leaseStack, startStack, type Stack, type StackOptions } from './stack';

const startTimeoutMs = 180_000;

/** Runs a separate stack for the stories of a file, which may kill and configure it. */
export function useStack(options: StackOptions | (() => Promise<StackOptions>) = {}): Stack {
  return useFixture(async () =>
    startStack(typeof options === 'function' ? await options() : options),
  );
}

/** Runs workers that the stories of a file divide their work among. */
export function useWorkers<T extends { stop(): Promise<void> }>(
  count: number,
  start: (index: number) => Promise<T>,
): readonly T[] {
  const started: T[] = [];
  beforeAll(async () => {
    started.push(...(await Promise.all(Array.from({ length: count }, (_, index) => start(index)))));
  }, startTimeoutMs);
  afterAll(async () => {
    await Promise.all(started.map((worker) => worker.stop()));
  }, startTimeoutMs);
  return started;
}

/**
 * Runs the stories of a file on a stack that other files use before and after: all services, two replicas
 * of agent-runtime, standard configuration. Stories make their own people and never kill a service.
 */
export function useSharedStack(): Stack {
  return useFixture(() => leaseStack());
}
