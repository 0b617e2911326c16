import type { Db, Document } from 'mongodb';

/** A query as MongoDB's profiler recorded it. */
export type ProfiledQuery = Document;

const indexedPlan = /(IXSCAN|IDHACK|EXPRESS_|DISTINCT_SCAN|COUNT_SCAN|QUEUED)/;

/** Calls `run` and returns all queries made in that time on collections whose namespace matches, with their plans. */
export async function profileQueries(
  db: Db,
  namespaces: RegExp,
  run: () => Promise<void>,
): Promise<ProfiledQuery[]> {
  await db.dropCollection('system.profile');
  // Inserts are profiled, too, and would displace the queries from a profile of the default size.
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
  await run();
  await db.command({ profile: 0 });
  const op = { $in: ['query', 'update', 'remove', 'command'] };
  return db
    .collection('system.profile')
    .find({ ns: namespaces, op, planSummary: { $exists: true } })
    .toArray();
}

/** Returns the queries that use no index, described for a failed test. */
export function queriesWithoutIndex(queries: readonly ProfiledQuery[]): string[] {
  return queries
    .filter(({ planSummary }) => !indexedPlan.test(planSummary) || /COLLSCAN/.test(planSummary))
    .map(({ ns, op, planSummary, command }) => {
      const filter = JSON.stringify(command?.filter ?? command?.pipeline ?? command?.q ?? {});
      return `${ns.split('.').slice(1).join('.')} ${op} ${planSummary} ${filter}`;
    });
}

/** Returns the queries that sort in memory, described for a failed test. */
export function queriesSortedInMemory(queries: readonly ProfiledQuery[]): string[] {
  return queries
    .filter(({ hasSortStage }) => hasSortStage)
    .map(({ command, planSummary }) => `${planSummary} ${JSON.stringify(command)}`);
}
