import { cpus, loadavg, release, totalmem, type as osType } from 'node:os';
import type { BenchStack } from '../kit/bench-stack';

/** The machine on which the figures were taken; figures from different machines are not comparable. */
export interface MachineFacts {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly os: string;
  readonly node: string;
  readonly mongodb: string;
  readonly nats: string;
  /**
   * The load average over the last minute, read when the stack has just started, so starting it counts as well. A high
   * load makes the figures unreliable.
   */
  readonly loadAverage: number;
}

export function readMachineFacts({ versions }: BenchStack): MachineFacts {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    os: `${osType()} ${release()}`,
    node: process.version,
    ...versions,
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** Formats the facts as one line, to be shown above the table. */
export function formatMachineFacts(facts: MachineFacts): string {
  return (
    `${facts.cores} cores (${facts.cpu}), ${facts.memoryGiB} GiB, Node ${facts.node}, ` +
    `MongoDB ${facts.mongodb}, NATS ${facts.nats}, load ${facts.loadAverage} at the start`
  );
}
