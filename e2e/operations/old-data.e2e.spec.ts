import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { makeBackup, restoreBackup } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { backupSource } from '../support/operations/backups';
import {
  converse,
  describeHousehold,
  fillHousehold,
  idsOf,
  openHousehold,
  type HouseholdIds,
} from '../support/operations/household';
import { historyOf, summaryOf } from '../support/people/history';
import { startStack, type Stack } from '../support/stack/stack';

/** A backup that an earlier build made of its own data, and what its users saw at that time. */
const fixture = join(__dirname, '../fixtures/0.1.0');
const version = '0.1.0';

interface Expected {
  readonly ids: HouseholdIds;
  readonly seen: Readonly<Record<string, unknown>>;
}

/**
 * Reads what users see, except for what changes over time: receipts expire, and schedules run. The list of memory
 * nodes is also left out, because it is written for models and its format changes between releases.
 */
async function readLastingData(stack: Stack, ids: HouseholdIds): Promise<Record<string, unknown>> {
  const household = await openHousehold(stack, ids);
  const {
    status: _,
    crons: __,
    memory,
    ...lasting
  } = (await describeHousehold(stack, household)) as Record<string, unknown>;
  const [, node] = memory as unknown[];
  return JSON.parse(JSON.stringify({ ...lasting, node })) as Record<string, unknown>;
}

/** Creates the fixture with the services of the build in a dist folder: MAKE_FIXTURE=<dist> npx jest … old-data */
async function makeFixture(dist: string): Promise<void> {
  const stack = await startStack({ bundleOf: (name) => join(dist, name, 'main.js') });
  try {
    const ids = idsOf(await fillHousehold(stack));
    await rm(fixture, { recursive: true, force: true });
    await mkdir(fixture, { recursive: true });
    const source = { ...backupSource(stack, ''), keys: {} };
    await makeBackup(source, join(fixture, 'backup'), version);
    const expected: Expected = { ids, seen: await readLastingData(stack, ids) };
    await writeFile(join(fixture, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  } finally {
    await stack.stop();
  }
}

it('this version reads users, ties, history, memory and files from 0.1.0, and the conversation can continue', async () => {
  const { MAKE_FIXTURE: dist } = process.env;
  if (dist !== undefined) await makeFixture(dist);
  const { ids, seen } = JSON.parse(
    readFileSync(join(fixture, 'expected.json'), 'utf8'),
  ) as Expected;
  const stack = await startStack({
    async prepare(empty) {
      await restoreBackup(join(fixture, 'backup'), { ...backupSource(empty, ''), keys: {} });
    },
  });
  try {
    expect(await readLastingData(stack, ids)).toEqual(seen);
    const household = await openHousehold(stack, ids);
    const { ada, bob, agent } = household;
    await converse(stack, household, 'Do you remember?');
    await stack.people.message(bob, ada, 'After the upgrade');
    await eventually(async () => {
      const records = (await historyOf(stack.runtime, ada, agent.id)).map(summaryOf);
      return records.some((record) => record.includes('After the upgrade'));
    });
  } finally {
    await stack.stop();
  }
}, 240_000);
