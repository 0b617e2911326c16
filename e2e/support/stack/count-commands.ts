import { serviceNames } from '@daycare/local-stack';
import type { Stack } from './stack';

/** The counters that MongoDB's `top` command returns for a collection, by kind of command. */
const kinds = ['queries', 'getmore', 'insert', 'update', 'remove', 'commands'] as const;

type Usage = Readonly<Record<(typeof kinds)[number], { readonly count: number }>>;

/** Counts the services' commands while `work` runs, by service and collection. */
export async function countCommands(
  stack: Stack,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await readTop(stack);
  await work();
  const after = await readTop(stack);
  return Object.fromEntries(
    Object.entries(after).flatMap(([collection, count]): [string, number][] => {
      const added = count - (before[collection] ?? 0);
      return added > 0 ? [[collection, added]] : [];
    }),
  );
}

async function readTop({ db, databaseOf }: Stack): Promise<Record<string, number>> {
  const { totals } = await db('identity').admin().command({ top: 1 });
  const services = new Map(serviceNames.map((name) => [databaseOf(name), name]));
  const usages = Object.entries(totals as Record<string, Usage>);
  return Object.fromEntries(
    usages.flatMap(([namespace, usage]): [string, number][] => {
      const [database = '', collection = ''] = namespace.split('.');
      const service = services.get(database);
      return service === undefined ? [] : [[`${service} ${collection}`, countOf(usage)]];
    }),
  );
}

function countOf(usage: Usage): number {
  return kinds.reduce((sum, kind) => sum + usage[kind].count, 0);
}
