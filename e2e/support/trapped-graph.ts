import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { createRpcClient } from '@daycare/rpc';
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
  type WireProxy,
} from '@daycare/testing';
import { openSurroundings, socialEnv, type Graph, type Surroundings } from './social-stack';

/** A step of social-graph on the wire to one of its servers. */
export interface WireStep {
  readonly wire: 'mongo' | 'nats';
  readonly label: string;
}

/** A moment at which social-graph dies. */
export type KillPoint = WireStep & StepTrap;

/** Identity, and one process of social-graph that dies exactly where it is told to. */
export interface TrappedGraph extends Surroundings {
  readonly graph: Graph;
  /** The steps that social-graph takes while `act` runs. */
  readonly stepsOf: (act: () => Promise<void>) => Promise<WireStep[]>;
  /**
   * Kills social-graph when `act` has led it to that point, brings it back and tells how `act` ended.
   * Rejects if social-graph never comes there.
   */
  readonly dieAt: <T>(
    point: KillPoint,
    act: () => Promise<T>,
  ) => Promise<PromiseSettledResult<Awaited<T>>>;
  readonly stop: () => Promise<void>;
}

type Wires = Readonly<Record<WireStep['wire'], WireProxy>>;

const wireNames = ['mongo', 'nats'] as const;

export async function startTrappedGraph(): Promise<TrappedGraph> {
  const wires: Wires = {
    mongo: await startMongoProxy({ target: testMongoUrl() }),
    nats: await startNatsProxy({ target: testNatsUrl() }),
  };
  const stack = await startTestStack({
    services: ['identity', 'social-graph'],
    env: socialEnv,
    envOf: {
      'social-graph': { DAYCARE_MONGO_URL: wires.mongo.url, DAYCARE_NATS_URL: wires.nats.url },
    },
  });
  const { close, ...surroundings } = await openSurroundings(stack);
  const address = stack.addressOf('social-graph');
  const graph = createRpcClient(SocialGraphServiceService, { address });
  const service = stack.service('social-graph');
  return {
    ...surroundings,
    graph,
    stepsOf: (act) => recordSteps(wires, act),
    async dieAt(point, act) {
      const trap = wires[point.wire].trap(point, () => service.signal('SIGKILL'));
      const acting = Promise.allSettled([act()]);
      await seeDeath(trap, service);
      await service.restart();
      return (await acting)[0];
    },
    async stop() {
      graph.close();
      await close();
      await stack.stop();
      for (const name of wireNames) await wires[name].close();
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
    throw new Error('social-graph never came there', { cause });
  } finally {
    trap.disarm();
  }
  const { signal } = await service.current.exited;
  if (signal !== 'SIGKILL') throw new Error(`social-graph ended by ${signal ?? 'itself'}`);
}
