import type { ServiceName } from '@daycare/local-stack';
import {
  eventually,
  startMongoProxy,
  startNatsProxy,
  startTestStack,
  testMongoUrl,
  testNatsUrlOf,
  type ArmedTrap,
  type StepTrap,
  type TestService,
  type WireProxy,
} from '@daycare/testing';
import { openStack, withStoryEnv, type Stack, type StackOptions } from '../stack/stack';

/** A message of a service to one of its servers. */
export interface WireStep {
  readonly wire: 'mongo' | 'nats';
  readonly label: string;
}

/** A moment at which a service dies. */
export type KillPoint = WireStep & StepTrap;

/** The operations of a test on a trapped service. */
export interface Traps {
  /** The steps that the service takes while `act` runs. */
  readonly stepsOf: (act: () => Promise<void>) => Promise<WireStep[]>;
  /**
   * Kills the service when `act` has led it to that point, restarts it and returns how `act` ended.
   * Rejects if the service never gets there.
   */
  readonly dieAt: <T>(
    point: KillPoint,
    act: () => Promise<T>,
    whileDead?: () => Promise<void>,
  ) => Promise<PromiseSettledResult<Awaited<T>>>;
}

/** A stack in which one process of one service can be killed at an exact step. */
export interface TrappedStack extends Traps {
  readonly stack: Stack;
  readonly stop: () => Promise<void>;
}

type Wires = Readonly<Record<WireStep['wire'], WireProxy>>;

const wireNames = ['mongo', 'nats'] as const;

export async function startTrappedService(
  name: ServiceName,
  { timeoutMs, ...options }: Pick<StackOptions, 'services' | 'env' | 'timeoutMs'>,
): Promise<TrappedStack> {
  const wires: Wires = {
    mongo: await startMongoProxy({ target: testMongoUrl() }),
    nats: await startNatsProxy({ target: testNatsUrlOf(name) }),
  };
  const wired = { DAYCARE_MONGO_URL: wires.mongo.url, DAYCARE_NATS_URL: wires.nats.url };
  const started = await startTestStack({ ...withStoryEnv(options), envOf: { [name]: wired } });
  const stack = await openStack(started, timeoutMs);
  const service = stack.service(name);
  return {
    stack,
    async stop() {
      await stack.stop();
      for (const wire of wireNames) await wires[wire].close();
    },
    stepsOf: (act) => recordSteps(wires, act),
    async dieAt(point, act, whileDead) {
      const trap = wires[point.wire].trap(point, () => service.signal('SIGKILL'));
      const acting = Promise.allSettled([act()]);
      await seeDeath(trap, service);
      await whileDead?.();
      await service.restart();
      return (await acting)[0];
    },
  };
}

async function recordSteps(wires: Wires, act: () => Promise<void>): Promise<WireStep[]> {
  for (const wire of wireNames) wires[wire].record();
  await act();
  return wireNames.flatMap((wire) => wires[wire].steps().map((label) => ({ wire, label })));
}

async function seeDeath(trap: ArmedTrap, service: TestService): Promise<void> {
  try {
    await eventually(() => trap.isSprung);
  } catch (cause) {
    throw new Error('the service never reached the step', { cause });
  } finally {
    trap.disarm();
  }
  const { signal } = await service.current.exited;
  if (signal !== 'SIGKILL') throw new Error(`the service ended by ${signal ?? 'itself'}`);
}
