import type { ServiceName } from '@daycare/local-stack';
import {
  eventually,
  startMongoProxy,
  startNatsProxy,
  startTestStack,
  testMongoUrl,
  testNatsUrl,
  type ArmedTrap,
  type StepTrap,
  type TestService,
  type TestStack,
  type TestStackOptions,
  type WireProxy,
} from '@daycare/testing';

/** A step of a service on the wire to one of its servers. */
export interface WireStep {
  readonly wire: 'mongo' | 'nats';
  readonly label: string;
}

/** A moment at which a service dies. */
export type KillPoint = WireStep & StepTrap;

/** What a test does to the service it has trapped. */
export interface Traps {
  /** The steps that the service takes while `act` runs. */
  readonly stepsOf: (act: () => Promise<void>) => Promise<WireStep[]>;
  /**
   * Kills the service when `act` has led it to that point, brings it back and tells how `act` ended.
   * Rejects if the service never comes there.
   */
  readonly dieAt: <T>(
    point: KillPoint,
    act: () => Promise<T>,
    whileDead?: () => Promise<void>,
  ) => Promise<PromiseSettledResult<Awaited<T>>>;
}

/** A stack in which one process of one service dies exactly where it is told to. */
export interface TrappedService extends Traps {
  /** Its `stop` ends the traps as well. */
  readonly stack: TestStack;
}

type Wires = Readonly<Record<WireStep['wire'], WireProxy>>;

const wireNames = ['mongo', 'nats'] as const;

export async function startTrappedService(
  name: ServiceName,
  options: Pick<TestStackOptions, 'services' | 'env'>,
): Promise<TrappedService> {
  const wires: Wires = {
    mongo: await startMongoProxy({ target: testMongoUrl() }),
    nats: await startNatsProxy({ target: testNatsUrl() }),
  };
  const stack = await startTestStack({
    ...options,
    envOf: { [name]: { DAYCARE_MONGO_URL: wires.mongo.url, DAYCARE_NATS_URL: wires.nats.url } },
  });
  const service = stack.service(name);
  const stop = async (): Promise<void> => {
    await stack.stop();
    for (const wire of wireNames) await wires[wire].close();
  };
  return {
    stack: { ...stack, stop },
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
    await eventually(() => trap.isSprung, { timeoutMs: 20_000 });
  } catch (cause) {
    throw new Error('the service never came there', { cause });
  } finally {
    trap.disarm();
  }
  const { signal } = await service.current.exited;
  if (signal !== 'SIGKILL') throw new Error(`the service ended by ${signal ?? 'itself'}`);
}
