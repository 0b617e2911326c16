import type { Document, MongoClient } from 'mongodb';

/** MongoDB's counters since it was started. */
export interface MongoCounts {
  /** Commands received from clients, including drivers' heartbeats. */
  readonly commands: number;
  /** Commands by name, without the drivers' and the bench's housekeeping, such as `hello`. */
  readonly byCommand: Readonly<Record<string, number>>;
  /** How many times WiredTiger has synced its log to the disk. */
  readonly logSyncs: number;
}

const housekeepingCommands = new Set([
  'hello',
  'isMaster',
  'ping',
  'serverStatus',
  'saslStart',
  'buildInfo',
]);

export async function readMongoCounts(client: MongoClient): Promise<MongoCounts> {
  const status = await client.db('admin').command({ serverStatus: 1, wiredTiger: 1 });
  return parseServerStatus(status);
}

/** Picks the counts from a response to `serverStatus`. */
export function parseServerStatus(status: Document): MongoCounts {
  const counted = Object.entries<Document>(status['metrics']?.commands ?? {});
  const byCommand = counted.flatMap(([name, entry]): [string, number][] => {
    const total = Number(entry['total'] ?? 0);
    return total > 0 && !housekeepingCommands.has(name) ? [[name, total]] : [];
  });
  return {
    commands: Number(status['network']?.numRequests ?? 0),
    byCommand: Object.fromEntries(byCommand),
    logSyncs: Number(status['wiredTiger']?.log?.['log sync operations'] ?? 0),
  };
}
