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

/** Whether an "always" grant from one turn covers another. */
const holds = (granted: CoverableTurn, next: CoverableTurn): boolean => {
  const starter = foreignStarterOf(granted);
  const scope = { trust: granted.trust, readPrivate: true, ...(starter ? { starter } : {}) };
  return covers({ scope, expiresAt: undefined }, next, new Date(0));
};

it('a grant is valid until the moment it expires', () => {
  const grant = { scope: { trust: 'own', readPrivate: true }, expiresAt: new Date(10) } as const;
  const own = { ...turn(byOwnAgent), trust: 'own' } as const;
  expect([9, 10, 11].map((ms) => covers(grant, own, new Date(ms)))).toEqual([true, false, false]);
});

describe('a grant for a foreign turn', () => {
  it('a grant for a foreign turn is valid for the guest who started it, and for no other', () => {
    expect(
      holds(turn(startedByFriend('bob'), 'bob'), turn(startedByFriend('bob'), 'several')),
    ).toBe(true);
    expect(holds(turn(startedByFriend('bob'), 'bob'), turn(startedByFriend('carl'), 'carl'))).toBe(
      false,
    );
  });

  it('a grant for a turn started by an agent of the user is valid for the guest whose words that agent passed on', () => {
    expect(holds(turn(byOwnAgent, 'bob'), turn(byOwnAgent, 'bob'))).toBe(true);
    expect(holds(turn(byOwnAgent, 'bob'), turn(byOwnAgent, 'carl'))).toBe(false);
  });

  it('a grant for a turn whose guest is unknown is never valid', () => {
    expect(holds(turn(byOwnAgent, 'several'), turn(byOwnAgent, 'several'))).toBe(false);
    expect(holds(turn(byOwnAgent), turn(byOwnAgent))).toBe(false);
    expect(holds(turn(bySchedule('heartbeat')), turn(bySchedule('heartbeat')))).toBe(false);
  });

  it('a grant for a turn that has read text of guests or outsiders is never valid, whoever started it', () => {
    const turns = [
      turn(startedByFriend('bob'), 'bob'),
      turn(bySchedule('cron:1')),
      turn(byOwnAgent, 'bob'),
    ];
    for (const beforeReading of turns) {
      const afterReading = { ...beforeReading, hasReadForeign: true } as const;
      expect(holds(beforeReading, beforeReading)).toBe(true);
      expect(holds(beforeReading, afterReading)).toBe(false);
      expect(holds(afterReading, afterReading)).toBe(false);
      expect(holds(afterReading, beforeReading)).toBe(false);
    }
  });

  it('a grant for a turn that a cron started is valid for that cron', () => {
    expect(holds(turn(bySchedule('cron:1')), turn(bySchedule('cron:1')))).toBe(true);
    expect(holds(turn(bySchedule('cron:1')), turn(bySchedule('cron:2')))).toBe(false);
  });
});
