import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { onAbort } from '@daycare/async';
import type { AppName } from '@daycare/local-stack';
import type { CallOptions } from '@daycare/rpc';
import { startTestGateway } from '../../gateway/start-gateway';
import type { Stack } from '../../stack/stack';
import { callCalmly, figuresOf, type CalmFigures } from './calm-users';
import type { FloodFigures } from './flood-caller';
import { startFlood } from './flood-process';
import { openProbe } from './probes';
import { cpuSecondsOf, residentMiBOf } from './process-figures';

export interface FloodRunOptions {
  readonly stack: Stack;
  readonly targets: readonly AppName[];
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export interface TargetFigures {
  readonly app: AppName;
  /** One half is measured before the flood and one after it, because the speed of a shared machine drifts. */
  readonly calm: CalmFigures;
  readonly flooded: CalmFigures;
  readonly account: FloodFigures;
  readonly anonymous: FloodFigures;
  /** The flooded process's CPU time per call, counting all callers' calls, including refused ones. */
  readonly cpuMicrosPerCall: { readonly calm: number; readonly flooded: number };
  /** In MiB, once a second. */
  readonly resident: readonly number[];
}

/** These three are above the default limits, so that each flooding caller is always at its limits. */
const callsPerSecond = 300;
const accountStreams = 64;
const anonymousStreams = 32;
const calmUserCount = 10;
const warmUpMs = 10_000;

/** The app that is flooded. */
interface Target {
  readonly app: AppName;
  readonly address: string;
  readonly pid: number;
}

/** A gateway's default limits. All callers here have the same address, and together stay below its rate limit. */
const gatewayLimits = {
  DAYCARE_GATEWAY_RATE_PER_SECOND: '1000',
  DAYCARE_GATEWAY_RATE_BURST: '2000',
  DAYCARE_MAX_STREAMS_PER_USER: '32',
};

/** Floods one target after another while other users keep calling it. */
export async function* runFlood(options: FloodRunOptions): AsyncGenerator<TargetFigures> {
  const { stack, targets, signal } = options;
  setMaxListeners(0, signal);
  const [eve, ...calmPeople] = await stack.people.newPeople(calmUserCount + 1);
  const calm = calmPeople.map(({ as }) => as);
  for (const app of targets) {
    if (signal.aborted || !eve) return;
    if (app === 'gateway') yield await floodGateway(options, eve.as, calm);
    else {
      const target = { app, address: stack.addressOf(app), pid: stack.service(app).pid };
      yield await floodTarget(options, target, eve.as, calm);
    }
  }
}

async function floodGateway(
  options: FloodRunOptions,
  eve: CallOptions,
  calm: readonly CallOptions[],
): Promise<TargetFigures> {
  const gateway = await startTestGateway(options.stack, gatewayLimits);
  try {
    const { grpcAddress: address, pid } = gateway.current;
    return await floodTarget(options, { app: 'gateway', address, pid }, eve, calm);
  } finally {
    await gateway.stop();
  }
}

async function floodTarget(
  { seconds, signal }: FloodRunOptions,
  { app, address, pid }: Target,
  eve: CallOptions,
  users: readonly CallOptions[],
): Promise<TargetFigures> {
  const probe = openProbe(app, address);
  const lasting = (ms: number): AbortSignal => abortAfter(ms, signal);
  const callFor = (ms: number) => callCalmly(probe, users, lasting(ms));
  const halfMs = (seconds * 1_000) / 2;
  // The first calls open connections and compile code.
  await callFor(warmUpMs);
  const cpuAtStart = cpuSecondsOf(pid);
  const before = await callFor(halfMs);
  const cpuCalm = cpuSecondsOf(pid) - cpuAtStart;
  const caller = { app, address, callsPerSecond };
  const floods = await Promise.all([
    startFlood({ ...caller, as: eve, streams: accountStreams }),
    startFlood({ ...caller, as: {}, streams: isOpenToAnyone(app) ? anonymousStreams : 0 }),
  ]);
  // In this time the flooding processes start, and the flooded process compiles code that it has not run before.
  const warmUp = await callFor(warmUpMs);
  const endOfFlood = lasting(seconds * 1_000);
  const [flooded, resident] = await Promise.all([
    callCalmly(probe, users, endOfFlood),
    watchMemory(pid, endOfFlood),
  ]);
  const [account, anonymous] = await Promise.all([floods[0].stop(), floods[1].stop()]);
  const cpuFlooded = cpuSecondsOf(pid) - cpuAtStart - cpuCalm;
  // Gives the process time to finish the flood's last calls.
  await callFor(warmUpMs / 2);
  const after = await callFor(halfMs);
  const calls =
    warmUp.durationsMs.length +
    flooded.durationsMs.length +
    countCalls(account) +
    countCalls(anonymous);
  const cpuMicrosPerCall = {
    calm: (cpuCalm / before.durationsMs.length) * 1e6,
    flooded: (cpuFlooded / calls) * 1e6,
  };
  return {
    app,
    calm: figuresOf([before, after]),
    flooded: figuresOf([flooded]),
    account,
    anonymous,
    cpuMicrosPerCall,
    resident,
  };
}

/** Reports whether anonymous callers may open a stream at all. */
function isOpenToAnyone(app: AppName): boolean {
  return app !== 'gateway';
}

/** Counts the calls that a flooding caller has made, whatever their outcome. */
function countCalls({ answered, failed, streamsRefused }: FloodFigures): number {
  return Object.values(failed).reduce((sum, count) => sum + count, answered + streamsRefused);
}

/** Not `AbortSignal.timeout`: a signal derived from that may be garbage-collected before it fires. */
function abortAfter(ms: number, signal: AbortSignal): AbortSignal {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), ms);
  const stop = (): void => {
    clearTimeout(timer);
    ending.abort();
  };
  onAbort(signal, stop);
  return ending.signal;
}

async function watchMemory(pid: number, signal: AbortSignal): Promise<number[]> {
  const residentMiB: number[] = [];
  while (!signal.aborted) {
    residentMiB.push(residentMiBOf(pid));
    await delay(1_000);
  }
  return residentMiB;
}

/** Lists the violated expectations. */
export function faultsOf({ app, calm, flooded, account, anonymous, resident }: TargetFigures) {
  const third = Math.floor(resident.length / 3);
  const highest = (from: number, to: number): number => Math.max(...resident.slice(from, to));
  const growth = highest(2 * third, resident.length) / highest(third, 2 * third);
  const checks: readonly (readonly [boolean, string])[] = [
    [flooded.p99Ms > 2 * calm.p99Ms, 'p99 of other users more than doubled'],
    [flooded.failed > 0, `${flooded.failed} calls from other users failed`],
    [growth > 1.1, `memory grew by ${Math.round((growth - 1) * 100)} % in the last third`],
    [!isLimited(account) || !isLimited(anonymous), 'a flood was not limited'],
    [account.answered === 0, 'none of the account’s calls was answered'],
    [account.streamsRefused === 0, 'the account’s streams were not limited'],
    [
      isOpenToAnyone(app) && anonymous.streamsRefused === 0,
      'the anonymous caller’s streams were not limited',
    ],
  ];
  return checks.flatMap(([isFault, text]) => (isFault ? [`${app}: ${text}`] : []));
}

function isLimited({ failed }: FloodFigures): boolean {
  return (failed['RATE_LIMITED'] ?? 0) > 0;
}
