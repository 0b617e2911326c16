import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import type { Caller } from '../../shared/call-context';
import { FloodGuard, type Connection, type FloodGuardOptions } from './flood-guard';

const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
/** More refusals than this in one second are a flood. */
const maxRefused = 50;
const maxStreamsPerOwner = 4;
const maxSlowed = maxStreamsPerOwner + 16;

const guards: FloodGuard[] = [];
afterEach(() => guards.splice(0).forEach((guard) => guard.sendHeldRefusals()));

/**
 * Creates a guard that holds refusals back for so long that none becomes due during a test.
 */
function newGuard(options: Partial<FloodGuardOptions> = {}): FloodGuard {
  const limits = { maxCalls: 1_000, maxStreamsPerOwner, holdMs: 3_600_000 };
  const guard = new FloodGuard({ ...limits, log, ...options });
  guards.push(guard);
  return guard;
}

/** A connection that records the limits that are set on it. */
class FakeConnection implements Connection {
  destroyed = false;
  readonly limits: (number | undefined)[] = [];

  settings({ maxConcurrentStreams }: { maxConcurrentStreams?: number }): void {
    this.limits.push(maxConcurrentStreams);
  }
}

const address = '192.0.2.1';
const service: Caller = { kind: 'service', service: 'topology', proof: 'credential' };
const user = (userId: string): Caller => ({ kind: 'user', userId });

/** Refuses calls; returns a list to which each refusal, when it is sent, adds how long it was held back. */
function refuse(guard: FloodGuard, connection: Connection, calls: number, deadline = Infinity) {
  const sent: number[] = [];
  for (let call = 0; call < calls; call += 1)
    guard.refuse({ connection, address }, deadline, (heldMs) => sent.push(heldMs));
  return sent;
}

describe('FloodGuard', () => {
  it("sends a connection's first refusals immediately and holds back later ones", () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    expect(refuse(guard, connection, maxRefused + 5)).toEqual(Array(maxRefused).fill(0));
    expect(connection.limits).toEqual([maxSlowed]);
  });

  it('allows a slowed connection 16 more calls than an owner may have streams, but never more than other connections', () => {
    for (const [streams, expected] of [
      [32, 48],
      [200, 216],
      [5_000, 1_000],
    ] as const) {
      const connection = new FakeConnection();
      refuse(newGuard({ maxStreamsPerOwner: streams }), connection, maxRefused + 1);
      expect(connection.limits).toEqual([expected]);
    }
  });

  it('holds back at most as many refusals per connection as the connection may have calls in progress', () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    const sent = refuse(guard, connection, maxRefused + maxSlowed + 7);
    expect(sent).toEqual(Array(maxRefused + 7).fill(0));
  });

  it('holds back at most 64 refusals per connection, even if the connection may have more calls in progress', () => {
    const guard = newGuard({ maxStreamsPerOwner: 100_000 });
    const sent = refuse(guard, new FakeConnection(), maxRefused + 64 + 7);
    expect(sent).toEqual(Array(maxRefused + 7).fill(0));
  });

  it('holds back at most a thousand refusals in total', () => {
    const guard = newGuard();
    const perConnection = maxRefused + maxSlowed;
    const sent = Array.from({ length: 60 }, () =>
      refuse(guard, new FakeConnection(), perConnection),
    );
    expect(60 * maxSlowed).toBeGreaterThan(1_000);
    expect(sent.flat()).toHaveLength(60 * perConnection - 1_000);
    guard.sendHeldRefusals();
    expect(sent.flat()).toHaveLength(60 * perConnection);
  });

  it('sends all refusals immediately when it stops, and reports how long each was held back', () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    const sent = refuse(guard, connection, maxRefused + 5);
    guard.sendHeldRefusals();
    expect(sent).toHaveLength(maxRefused + 5);
    expect(Math.max(...sent)).toBeLessThan(3_600_000);
    expect(refuse(guard, connection, 3)).toEqual([0, 0, 0]);
    guard.sendHeldRefusals();
    expect(sent).toHaveLength(maxRefused + 5);
  });

  it('immediately refuses a call whose deadline leaves no time to hold the refusal back', () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    refuse(guard, connection, maxRefused + 1);
    expect(refuse(guard, connection, 1, Date.now() + 60_000)).toEqual([0]);
  });

  it('frees the slots of refusals that have been sent', async () => {
    const [guard, connection] = [newGuard({ holdMs: 1 }), new FakeConnection()];
    const sent = refuse(guard, connection, maxRefused + maxSlowed);
    await eventually(() => sent.length === maxRefused + maxSlowed);
    expect(refuse(guard, connection, maxSlowed)).toEqual([]);
  });

  const exempt: [string, Caller[]][] = [
    ['a service', [service]],
    ['an operator', [{ kind: 'admin', proof: 'credential' }]],
    ['a service on behalf of a user', [{ ...user('ada'), via: 'topology' } as Caller]],
    ['three owners', [user('ada'), user('bob'), user('eve')]],
  ];
  it.each(exempt)('does not slow a connection that carries calls from %s', (_, callers) => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    for (const caller of callers) guard.noteCaller({ connection, address }, caller);
    expect(refuse(guard, connection, 200)).toHaveLength(200);
    expect(connection.limits).toEqual([]);
  });

  it.each<[string, Caller[]]>([
    ['a user with a subuser', [user('ada'), { ...user('sub'), parentUserId: 'ada' } as Caller]],
    ['two owners', [user('ada'), user('bob')]],
    ['anonymous callers', [{ kind: 'anonymous' }, { kind: 'anonymous' }, { kind: 'anonymous' }]],
  ])('slows a connection that carries calls from %s', (_, callers) => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    for (const caller of callers) guard.noteCaller({ connection, address }, caller);
    expect(refuse(guard, connection, maxRefused + 5)).toHaveLength(maxRefused);
    expect(connection.limits).toEqual([maxSlowed]);
  });

  it('does not slow a connection from a trusted proxy', () => {
    const guard = newGuard({ isProxy: (from) => from === address });
    const connection = new FakeConnection();
    expect(refuse(guard, connection, 200)).toHaveLength(200);
    expect(connection.limits).toEqual([]);
  });

  it('stops slowing a connection that turns out to belong to a proxy', () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    refuse(guard, connection, maxRefused + 1);
    guard.noteCaller({ connection, address }, service);
    expect(connection.limits).toEqual([maxSlowed, 1_000]);
    expect(refuse(guard, connection, 3)).toEqual([0, 0, 0]);
  });

  it('does not change the settings of a closed connection', () => {
    const [guard, connection] = [newGuard(), new FakeConnection()];
    connection.destroyed = true;
    refuse(guard, connection, maxRefused + 1);
    expect(connection.limits).toEqual([]);
  });
});
