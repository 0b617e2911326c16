import { expect } from '@jest/globals';
import type { Db } from 'mongodb';
import { AppError } from '@daycare/errors';

/** Values that no id of ours has. */
export const badIds = ['', 'BAD', 'a b', '../x', 'x'.repeat(65), '$ne', 'a\u0000b', 'é'];
export const badRequestIds = ['', 'a b', 'x'.repeat(129), 'a\u0000', 'é'];
export const badPageSizes = [-1, 1_001, 2_147_483_647];
/** None of these was given out by any list: garbage, and cursors that fit none. */
export const badPageTokens = [
  'garbage',
  '!!!',
  'x'.repeat(10_000),
  ...[{}, [], [null], [[]], ['a'], [1e300, 'a'], [1e300, 'a', 'b'], ['a', 1e300, 'b']].map(toToken),
];
export const tooLongText = 'x'.repeat(32_769);
export const badTexts = [tooLongText, '🦊'.repeat(32_769), 'a\u0000b', 'a\u001bb', 'a\u0085b'];

/** Every bad value of a field, in a request that is fine otherwise. */
export function badOnes<T>(
  base: T,
  field: string,
  key: keyof T,
  values: readonly unknown[],
): { field: string; request: T }[] {
  return values.map((value) => ({ field, request: { ...base, [key]: value } }));
}

/** A call and the field for which it is to be refused. */
export type BadCall = readonly [field: string, call: () => Promise<unknown>];

/** One call for each of these requests. */
export function badCalls<T>(
  call: (request: T) => Promise<unknown> | AsyncIterable<unknown>,
  requests: readonly { field: string; request: T }[],
): BadCall[] {
  return requests.map(({ field, request }) => [field, async () => finish(call(request))]);
}

async function finish(call: Promise<unknown> | AsyncIterable<unknown>): Promise<void> {
  if (Symbol.asyncIterator in call) for await (const _ of call) return;
  await call;
}

/** Every call is refused for its field, and says so. */
export async function expectRefused(calls: readonly BadCall[]): Promise<void> {
  for (const [field, call] of calls) await expectRefusal(field, call);
}

async function expectRefusal(field: string, call: () => Promise<unknown>): Promise<void> {
  const outcome = await call().then(
    () => 'OK',
    (error: unknown) => (error instanceof AppError ? error : String(error)),
  );
  expect(outcome).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(' '),
    details: { fields: expect.arrayContaining([expect.objectContaining({ field })]) },
  });
}

/** How many documents each collection has, but for those in which replicas keep themselves alive. */
export async function countAll(db: Db): Promise<Record<string, number>> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = found.map(({ name }) => name).filter((name) => !/^(shards|replicas)$/.test(name));
  const counts = await Promise.all(
    names.sort().map(async (name) => [name, await db.collection(name).countDocuments()] as const),
  );
  return Object.fromEntries(counts);
}

/** A page token as a list would make it. */
export function toToken(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
