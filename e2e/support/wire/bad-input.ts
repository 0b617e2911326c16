import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Db } from 'mongodb';
import { AppError } from '@daycare/api';
import type { Stack } from '../stack/stack';

/** Invalid values for ids. The lists below contain invalid values for other fields. */
export const ids = ['', 'BAD', 'a b', '../x', 'x'.repeat(65), '$ne', 'a\u0000b', 'é'];
export const requestIds = ['', 'a b', 'x'.repeat(129), 'a\u0000', 'é'];
export const pageSizes = [-1, 1_001, 2_147_483_647];
/** Garbage, and cursors that no list would issue. */
export const pageTokens = [
  'garbage',
  '!!!',
  'x'.repeat(10_000),
  ...[{}, [], [null], [[]], ['a'], [1e300, 'a'], [1e300, 'a', 'b'], ['a', 1e300, 'b']].map(toToken),
];
export const texts = ['x'.repeat(32_769), '🦊'.repeat(32_769), 'a\u0000b', 'a\u001bb', 'a\u0085b'];

/** Returns a request for each bad value of a field; its other fields are valid. */
export function requests<T>(
  base: T,
  field: string,
  key: keyof T,
  values: readonly unknown[],
): { field: string; request: T }[] {
  return values.map((value) => ({ field, request: { ...base, [key]: value } }));
}

/** A call and the field that its error must name. */
export type BadCall = readonly [field: string, call: () => Promise<unknown>];

/** Returns one call for each of these requests. */
export function calls<T>(
  call: (request: T) => Promise<unknown> | AsyncIterable<unknown>,
  requests: readonly { field: string; request: T }[],
): BadCall[] {
  return requests.map(({ field, request }) => [field, async () => finish(call(request))]);
}

async function finish(call: Promise<unknown> | AsyncIterable<unknown>): Promise<void> {
  if (Symbol.asyncIterator in call) for await (const _ of call) return;
  await call;
}

/** Expects every call to be refused with an error that names its field. */
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

/** Expects that no test changes the number of documents in any of agent-runtime's collections. */
export function expectNothingStored({ db }: Stack): void {
  let before: Record<string, number>;
  beforeEach(async () => {
    before = await countAll(db('agent-runtime'));
  });
  afterEach(async () => {
    expect(await countAll(db('agent-runtime'))).toEqual(before);
  });
}

/** Counts the documents in each collection. */
async function countAll(db: Db): Promise<Record<string, number>> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name);
  const counts = await Promise.all(
    names.sort().map(async (name) => [name, await db.collection(name).countDocuments()] as const),
  );
  return Object.fromEntries(counts);
}

/** Encodes a cursor as a list encodes its page tokens. */
export function toToken(cursor: unknown): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
