import type { ServiceName } from '@daycare/local-stack';
import {
  eventually,
  startMongoProxy,
  startNatsProxy,
  startTestStack,
  testNatsUrlOf,
  type ArmedHold,
  type StepTrap,
  type TestService,
  type WireProxy,
} from '@daycare/testing';
import { openStack, withStoryEnv, type Stack, type StackOptions } from '../stack/stack';

/** A message between a service and MongoDB or NATS. Its label names the operation, e.g. `insert inbox`. */
export interface WireStep {
  readonly wire: 'mongo' | 'nats';
  readonly label: string;
}

/** A point at which a service is killed. */
export type KillPoint = WireStep & StepTrap;

/** Thrown if a service never takes the step at which it was to be held or killed. */
export class StepNotReached extends Error {}

/** A call that leads a service to the point at which it is killed. */
export interface Crash<T> {
  readonly point: KillPoint;
  readonly act: () => Promise<T>;
}

/** What a test can do with a trapped service. */
export interface Traps {
  /** The steps that the service takes while `act` runs, in order. */
  readonly stepsOf: (act: () => Promise<void>) => Promise<WireStep[]>;
  /**
   * Kills the service when `act` has led it to the point, restarts it and returns the outcome of `act`.
   * Rejects if the service never reaches the point.
   */
  readonly dieAt: <T>(
    point: KillPoint,
    act: () => Promise<T>,
    whileDead?: () => Promise<void>,
  ) => Promise<PromiseSettledResult<Awaited<T>>>;
  /**
   * Kills the service a single time for several points: each act begins when the earlier acts are held at their points,
   * and the service is killed at the last point. No act may depend on anything that an earlier act delays.
   */
  readonly dieAtAll: <T>(
    crashes: readonly Crash<T>[],
    whileDead?: () => Promise<void>,
  ) => Promise<PromiseSettledResult<Awaited<T>>[]>;
}

/** A stack in which one process of one service can be killed at an exact step. */
export interface TrappedStack extends Traps {
  readonly stack: Stack;
  readonly stop: () => Promise<void>;
}

/** A stack in which one process of each of several services can be killed at an exact step. */
export interface TrappedServices<N extends ServiceName> {
  readonly stack: Stack;
  readonly traps: Readonly<Record<N, Traps>>;
  readonly stop: () => Promise<void>;
}

type Wires = Readonly<Record<WireStep['wire'], WireProxy>>;

const wireNames = ['mongo', 'nats'] as const;

type TrappedOptions = Pick<StackOptions, 'services' | 'env' | 'timeoutMs'>;

export async function startTrappedService(
  name: ServiceName,
  options: TrappedOptions,
): Promise<TrappedStack> {
  const { stack, traps, stop } = await startTrappedServices([name], options);
  return { stack, stop, ...traps[name] };
}

export async function startTrappedServices<N extends ServiceName>(
  names: readonly N[],
  { timeoutMs, ...options }: TrappedOptions,
): Promise<TrappedServices<N>> {
  const wiresOf = new Map<N, Wires>();
  for (const name of names) wiresOf.set(name, await startWires(name));
  const envOf = Object.fromEntries([...wiresOf].map(([name, wires]) => [name, envFor(wires)]));
  const started = await startTestStack({ ...withStoryEnv(options), envOf });
  const stack = await openStack(started, timeoutMs);
  const traps = [...wiresOf].map(([name, wires]) => [name, trapsOf(stack.service(name), wires)]);
  return {
    stack,
    traps: Object.fromEntries(traps) as Record<N, Traps>,
    async stop() {
      await stack.stop();
      for (const wires of wiresOf.values()) for (const wire of wireNames) await wires[wire].close();
    },
  };
}

async function startWires(name: ServiceName): Promise<Wires> {
  return {
    mongo: await startMongoProxy(),
    nats: await startNatsProxy({ target: testNatsUrlOf(name) }),
  };
}

function envFor({ mongo, nats }: Wires): NodeJS.ProcessEnv {
  return { DAYCARE_MONGO_URL: mongo.url, DAYCARE_NATS_URL: nats.url };
}

function trapsOf(service: TestService, wires: Wires): Traps {
  const dieAtAll: Traps['dieAtAll'] = async (crashes, whileDead) => {
    const outcomes = await reachAll(crashes, wires, service);
    await whileDead?.();
    await service.restart();
    return Promise.all(outcomes);
  };
  return {
    dieAtAll,
    stepsOf: (act) => recordSteps(wires, act),
    async dieAt(point, act, whileDead) {
      const [outcome] = await dieAtAll([{ point, act }], whileDead);
      return outcome!;
    },
  };
}

async function recordSteps(wires: Wires, act: () => Promise<void>): Promise<WireStep[]> {
  for (const wire of wireNames) wires[wire].record();
  await act();
  const steps = wireNames.flatMap((wire) =>
    wires[wire].recording().map(({ label, atMs }) => ({ wire, label, atMs })),
  );
  return steps
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ wire, label }) => ({ wire, label }));
}

/** Lets the service reach all points, the last of which kills it; returns the pending outcomes of the acts. */
async function reachAll<T>(
  crashes: readonly Crash<T>[],
  wires: Wires,
  service: TestService,
): Promise<Promise<PromiseSettledResult<Awaited<T>>>[]> {
  const outcomes: Promise<PromiseSettledResult<Awaited<T>>>[] = [];
  const holds: ArmedHold[] = [];
  const start = (act: () => Promise<T>): void =>
    void outcomes.push(Promise.allSettled([act()]).then(([outcome]) => outcome));
  try {
    for (const { point, act } of crashes.slice(0, -1)) {
      const hold = wires[point.wire].hold(point);
      holds.push(hold);
      start(act);
      await waitUntilReached(point, () => hold.isHeld);
    }
    const { point, act } = crashes.at(-1)!;
    const trap = wires[point.wire].trap(point, () => service.signal('SIGKILL'));
    start(act);
    await waitUntilReached(point, () => trap.isSprung).finally(() => trap.disarm());
  } catch (error) {
    // Steps that stay held would disturb the tests that follow.
    await service.kill();
    await service.restart();
    throw error;
  } finally {
    for (const hold of holds) hold.release();
  }
  const { signal } = await service.current.exited;
  if (signal !== 'SIGKILL')
    throw new Error(`the service ended with ${signal ?? 'a regular exit'} instead of SIGKILL`);
  return outcomes;
}

async function waitUntilReached({ when, label }: KillPoint, check: () => boolean): Promise<void> {
  try {
    await eventually(check);
  } catch (cause) {
    throw new StepNotReached(`the service never reached the step: ${when} ${label}`, { cause });
  }
}
