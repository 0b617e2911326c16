import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startedByPerson } from '../../agents/domain/started-by';
import { testAgent } from '../../test-support/test-agent';
import { describeTime } from './describe-time';
import { makeSituationFor } from './situation';
import type { PromptTurn } from './turn-section';

const now = () => new Date('2026-11-17T07:05:59Z');
const ada = { name: 'Ada "the first"', nametag: 'swiftfox42', timeZone: 'Europe/Berlin' };
const isShared = async ({ id }: { readonly id: string }) => id === 'shared';
const situationFor = makeSituationFor({ profileOf: async () => ada, isShared, now });

const friend = {
  source: 'friend',
  origin: 'friend:otter7',
  nametag: 'otter7',
  byPerson: false,
} as const;
const turns: Readonly<Record<string, PromptTurn>> = {
  person: { trust: 'person', readPrivate: true, startedBy: startedByPerson },
  own: {
    trust: 'own',
    readPrivate: true,
    startedBy: { ...friend, source: 'own_agent', origin: 'agent0' },
  },
  guest: { trust: 'guest', readPrivate: false, startedBy: friend },
  'guest-private': { trust: 'guest', readPrivate: true, startedBy: friend },
  outside: {
    trust: 'outside',
    readPrivate: false,
    startedBy: { source: 'webhook', origin: 'webhook:w1', byPerson: false },
  },
  stranger: { trust: 'outside', readPrivate: false, startedBy: { ...friend, source: 'stranger' } },
};

describe('the end of a request', () => {
  it.each(Object.entries(turns))(
    'the situation of a turn of kind %s matches its golden file',
    async (name, turn) => {
      const golden = await readFile(join(__dirname, 'golden', `turn-${name}.txt`), 'utf8');
      expect(`${await situationFor(testAgent(), turn)}\n`).toBe(golden);
    },
  );

  it('the situation says that answers need approval when other guests have written, unless guests share a conversation', async () => {
    const turn = { ...turns['guest']!, foreignWriter: 'several' };
    const waits = 'waits until your user has approved the text';
    for (const id of ['top', 'private'])
      expect(await situationFor(testAgent({ id, ownerUserId: 'owner' }), turn)).toContain(waits);
    expect(await situationFor(testAgent({ id: 'shared' }), turn)).not.toContain(waits);
  });

  it('the situation states the time in UTC when the user’s profile is unavailable', async () => {
    const withoutProfile = makeSituationFor({ profileOf: async () => undefined, isShared, now });
    expect(await withoutProfile(testAgent(), turns['person']!)).toBe(
      '<system_message origin="system">It is Tuesday, 17 November 2026, 07:05 in UTC.\n' +
        'This turn was started by your user.</system_message>',
    );
  });
});

describe('describeTime', () => {
  it.each([
    ['America/New_York', 'Tuesday, 17 November 2026, 02:05 in America/New_York (UTC-05:00)'],
    ['Asia/Kolkata', 'Tuesday, 17 November 2026, 12:35 in Asia/Kolkata (UTC+05:30)'],
    ['Mars/Olympus', 'Tuesday, 17 November 2026, 07:05 in UTC'],
    ['', 'Tuesday, 17 November 2026, 07:05 in UTC'],
  ])('the time in the zone %j is given as %j', (zone, text) => {
    expect(describeTime(now(), zone)).toBe(text);
  });
});
