import { cpus } from 'node:os';
import { MongoClient } from 'mongodb';
import type { BenchStack, NamedProcess } from '../kit/bench-stack';
import type { Counters } from './costs';
import { readMongoCounts } from './mongo-counters';
import { readCpuUs } from './process-cpu';

/** Reads the counters of the stack and of this process. */
export interface CounterReader {
  /** `extra` lists the processes that only the current probe has. */
  read(extra?: readonly NamedProcess[]): Promise<Counters>;
  close(): Promise<void>;
}

export async function openCounters(stack: BenchStack): Promise<CounterReader> {
  const client = await new MongoClient(stack.mongoUrl, { maxPoolSize: 1 }).connect();
  return {
    async read(extra = []) {
      const [mongo, natsMessages] = await Promise.all([
        readMongoCounts(client),
        readNatsMessages(stack.natsMonitorUrl),
      ]);
      const processes = [{ name: 'bench', pid: process.pid }, ...stack.processes(), ...extra];
      return {
        atMs: performance.now(),
        cpuUs: readCpuUs(processes),
        machineCpuUs: readMachineCpuUs(),
        mongo,
        ...(natsMessages === undefined ? {} : { natsMessages }),
      };
    },
    close: () => client.close(),
  };
}

function readMachineCpuUs(): number {
  const busyMs = cpus().flatMap(({ times: { idle: _idle, ...busy } }) => Object.values(busy));
  return busyMs.reduce((sum, ms) => sum + ms, 0) * 1_000;
}

async function readNatsMessages(monitorUrl: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${monitorUrl}/varz`);
    const { in_msgs: received } = (await response.json()) as { in_msgs?: number };
    return received;
  } catch {
    return undefined;
  }
}
