import { describe, expect, it } from '@jest/globals';
import type { StartedBy } from '../../agents/domain/started-by';
import { covers, foreignStarterOf, type CoverableTurn } from './grant';

const startedByFriend = (senderUserId: string): StartedBy => ({
  source: 'friend',
  origin: `friend:${senderUserId}`,
  senderUserId,
  byPerson: false,
});
const byOwnAgent: StartedBy = {
  source: 'own_agent',
  origin: 'a2',
  sender: { agentId: 'a2', userId: 'ada' },
  senderUserId: 'ada',
  byPerson: false,
};
const bySchedule = (origin: string): StartedBy => ({
  source: 'schedule',
  origin,
  senderUserId: 'ada',
  byPerson: false,
});
const turn = (startedBy: StartedBy, foreignWriter?: string): CoverableTurn => ({
  trust: 'guest',
  readPrivate: true,
  startedBy,
  foreignWriter,
});

/** Reports whether an "always" grant that was requested in one turn covers another turn. */
const grantCovers = (granted: CoverableTurn, next: CoverableTurn): boolean => {
  const starter = foreignStarterOf(granted);
  const scope = { trust: granted.trust, readPrivate: true, ...(starter ? { starter } : {}) };
  return covers({ scope, expiresAt: undefined }, next, new Date(0));
};

it('a grant covers turns until it expires, and none from that moment on', () => {
  const grant = { scope: { trust: 'own', readPrivate: true }, expiresAt: new Date(10) } as const;
  const own = { ...turn(byOwnAgent), trust: 'own' } as const;
  expect([9, 10, 11].map((ms) => covers(grant, own, new Date(ms)))).toEqual([true, false, false]);
});

describe('foreign turns', () => {
  it('a grant for a foreign turn covers turns started by the same guest, but no turns started by another guest', () => {
    expect(
      grantCovers(turn(startedByFriend('bob'), 'bob'), turn(startedByFriend('bob'), 'several')),
    ).toBe(true);
    expect(
      grantCovers(turn(startedByFriend('bob'), 'bob'), turn(startedByFriend('carl'), 'carl')),
    ).toBe(false);
  });

  it('a grant for a foreign turn that one of the user’s own agents started covers such turns with the same guest’s words, but not with another guest’s', () => {
    expect(grantCovers(turn(byOwnAgent, 'bob'), turn(byOwnAgent, 'bob'))).toBe(true);
    expect(grantCovers(turn(byOwnAgent, 'bob'), turn(byOwnAgent, 'carl'))).toBe(false);
  });

  it('a grant for a foreign turn whose guest is unknown covers no foreign turns', () => {
    expect(grantCovers(turn(byOwnAgent, 'several'), turn(byOwnAgent, 'several'))).toBe(false);
    expect(grantCovers(turn(byOwnAgent), turn(byOwnAgent))).toBe(false);
    expect(grantCovers(turn(bySchedule('heartbeat')), turn(bySchedule('heartbeat')))).toBe(false);
  });

  it('foreign turns that have read guests’ or outsiders’ text are covered by no grant, and grants requested in them cover no foreign turns', () => {
    const turns = [
      turn(startedByFriend('bob'), 'bob'),
      turn(bySchedule('cron:1')),
      turn(byOwnAgent, 'bob'),
    ];
    for (const beforeReading of turns) {
      const afterReading = { ...beforeReading, hasReadForeign: true } as const;
      expect(grantCovers(beforeReading, beforeReading)).toBe(true);
      expect(grantCovers(beforeReading, afterReading)).toBe(false);
      expect(grantCovers(afterReading, afterReading)).toBe(false);
      expect(grantCovers(afterReading, beforeReading)).toBe(false);
    }
  });

  it('a grant for a turn started by a cron covers that cron’s turns, but not other crons’ turns', () => {
    expect(grantCovers(turn(bySchedule('cron:1')), turn(bySchedule('cron:1')))).toBe(true);
    expect(grantCovers(turn(bySchedule('cron:1')), turn(bySchedule('cron:2')))).toBe(false);
  });
});
