import { describe, expect, it } from '@jest/globals';
import { costsBetween, restBetween, type Counters } from './costs';

const noIdleRates = { commands: 0, logSyncs: 0, natsMessages: 0 };

const before: Counters = {
  atMs: 1_000,
  cpuUs: { mongod: 5_000_000, bench: 1_000_000 },
  machineCpuUs: 9_000_000,
  mongo: { commands: 100, byCommand: { find: 50 }, logSyncs: 10 },
  natsMessages: 7,
};
const after: Counters = {
  atMs: 3_000,
  cpuUs: { mongod: 6_000_000, bench: 1_000_000, nats: 500_000 },
  machineCpuUs: 11_000_000,
  mongo: { commands: 360, byCommand: { find: 150, insert: 100 }, logSyncs: 30 },
  natsMessages: 107,
};

describe('costsBetween', () => {
  it('CPU time, by process and in total, is divided by the number of operations', () => {
    const costs = costsBetween(before, after, 100, noIdleRates)!;
    expect(costs.cpuUsBy).toEqual({ mongod: 10_000, nats: 5_000 });
    expect(costs.cpuUs).toBe(15_000);
    expect(costs.ownShare).toBe(0.75);
  });

  it('the stack’s idle activity is subtracted from total counts, but not from commands by name', () => {
    const idle = { commands: 30, logSyncs: 5, natsMessages: 0 };
    const costs = costsBetween(before, after, 100, idle)!;
    expect(costs.mongoCommands).toBe(2);
    expect(costs.mongoCommandsBy).toEqual({ find: 1, insert: 1 });
    expect(costs.logSyncs).toBe(0.1);
    expect(costs.natsMessages).toBe(1);
  });

  it('no count is negative when the stack did less than at rest', () => {
    const idle = { commands: 1_000, logSyncs: 1_000, natsMessages: 1_000 };
    expect(costsBetween(before, after, 1, idle)).toMatchObject({ mongoCommands: 0, logSyncs: 0 });
  });

  it('the costs omit the NATS figure when NATS does not report it', () => {
    const { natsMessages: _unknown, ...silent } = after;
    expect(costsBetween(before, silent, 1, noIdleRates)).not.toHaveProperty('natsMessages');
  });

  it('the costs include model calls per operation only if they were counted', () => {
    const [from, to] = [
      { ...before, modelCalls: 40 },
      { ...after, modelCalls: 160 },
    ];
    expect(costsBetween(from, to, 100, noIdleRates)).toMatchObject({ modelCalls: 1.2 });
    expect(costsBetween(before, to, 100, noIdleRates)).not.toHaveProperty('modelCalls');
  });

  it('there are no costs without operations', () => {
    expect(costsBetween(before, after, 0, noIdleRates)).toBeUndefined();
  });
});

describe('restBetween', () => {
  it('the idle activity is each process’s share of a core, without the bench, and the counts per second', () => {
    const { coreShare, coreShareBy, perSecond } = restBetween(before, {
      ...after,
      cpuUs: { ...after.cpuUs, bench: 2_000_000 },
    });
    expect(coreShareBy).toEqual({ mongod: 0.5, nats: 0.25 });
    expect(coreShare).toBe(0.75);
    expect(perSecond).toEqual({ commands: 130, logSyncs: 10, natsMessages: 50 });
  });
});
