import { Timestamp, type ClientSession, type MongoClient } from 'mongodb';

/** The times that a read returns, by the database's logical clock. */
export interface ReadTimes {
  /** Everything up to here was stored by a majority when the read ended; the read itself may have seen less. */
  readonly committed: bigint;
  /** At least the time of every write that the server had made when the read began; 0 when unknown. */
  readonly clock: bigint;
}

/** Runs a read that sees at least everything up to `since`, the `committed` time of an earlier read. */
export function readSince<T>(
  client: MongoClient,
  since: bigint,
  read: (session: ClientSession) => Promise<T>,
): Promise<ReadTimes & { readonly found: T }> {
  return client.withSession({ causalConsistency: true }, async (session) => {
    if (since > 0n) session.advanceOperationTime(new Timestamp(since));
    const found = await read(session);
    const { operationTime, clusterTime } = session;
    return { found, committed: toTime(operationTime), clock: toTime(clusterTime?.clusterTime) };
  });
}

function toTime(timestamp: Timestamp | undefined): bigint {
  return timestamp ? BigInt.asUintN(64, timestamp.toBigInt()) : 0n;
}
