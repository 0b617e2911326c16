import { setTimeout as delay } from 'node:timers/promises';
import { createId } from '@daycare/api/create-id';
import type { Document } from 'mongodb';
import { AppError } from '@daycare/api';
import { serviceNames } from '@daycare/local-stack';
import type { Stack } from '../../stack/stack';
import { openProbe } from './probes';
import { cpuSecondsOf } from './process-figures';

const batch = 10_000;
const hourMs = 60 * 60_000;

/** Adds `count` revocations to identity's list, as if `count` tokens had been revoked. */
export async function addRevocations({ db }: Stack, count: number): Promise<void> {
  const revocations = db('identity').collection<Document & { _id: string }>('revocations');
  const ends = db('identity').collection<{ _id: string; position: number }>('revocations_end');
  const { position = 0 } = (await ends.findOne({ _id: 'end' })) ?? {};
  const expiresAt = new Date(Date.now() + hourMs);
  for (let added = 0; added < count; added += batch) {
    const size = Math.min(batch, count - added);
    const rows = Array.from({ length: size }, (_, index) => {
      return { _id: createId(), expiresAt, position: position + added + index + 1 };
    });
    await revocations.insertMany(rows);
  }
  await ends.updateOne({ _id: 'end' }, { $inc: { position: count } });
}

/** Measures the share of a core that identity uses while only the other services call it. */
export async function cpuShareWhenIdle(stack: Stack, seconds: number): Promise<number> {
  const { pid } = stack.service('identity');
  const before = cpuSecondsOf(pid);
  await delay(seconds * 1_000);
  return (cpuSecondsOf(pid) - before) / seconds;
}

/** Calls `end` and measures how long all services take to refuse the token; Infinity if it is more than a minute. */
export async function measureRefusalMs(
  stack: Stack,
  token: string,
  end: () => Promise<unknown>,
): Promise<number> {
  const probes = new Map(
    serviceNames.map((name) => [name, openProbe(name, stack.addressOf(name))] as const),
  );
  const as = { metadata: { authorization: `Bearer ${token}` } };
  const isAccepted = async (name: (typeof serviceNames)[number]): Promise<boolean> =>
    probes.get(name)!(as).then(
      () => true,
      (error: unknown) => !(error instanceof AppError && error.code === 'UNAUTHENTICATED'),
    );
  for (const name of serviceNames)
    if (!(await isAccepted(name))) throw new Error(`${name} refused the token from the start`);
  await end();
  const startedAt = performance.now();
  while (performance.now() - startedAt < 60_000) {
    const accepted = await Promise.all(serviceNames.map(isAccepted));
    if (!accepted.includes(true)) return Math.round(performance.now() - startedAt);
    await delay(100);
  }
  return Infinity;
}
