import { describe, expect, it } from '@jest/globals';
import { decideRefresh, recentTokenGraceMs, rotated, type Session } from './session';

const rotatedAt = new Date('2026-11-16T10:00:00Z');
const session: Session = {
  id: 's1',
  holder: { kind: 'admin' },
  opener: { name: 'admin', credentialId: 'c1' },
  openedAt: rotatedAt,
  endsAt: new Date('2027-11-16T10:00:00Z'),
  currentHash: 'current',
  recentHashes: ['previous'],
  proofKey: 'key',
  rotatedAt,
  expiresAt: new Date('2026-12-16T10:00:00Z'),
};
const after = (ms: number): Date => new Date(rotatedAt.getTime() + ms);
const genuine = (hash: string) => ({ hash, isGenuine: true });

describe('decideRefresh', () => {
  it('exchanges the newest refresh token', () => {
    expect(decideRefresh(session, genuine('current'), after(1))).toBe('rotate');
  });

  it('exchanges the previous refresh token within the grace period, to the millisecond', () => {
    const decideAfter = (ms: number) => decideRefresh(session, genuine('previous'), after(ms));
    expect(decideAfter(recentTokenGraceMs - 1)).toBe('rotate');
    expect(decideAfter(recentTokenGraceMs)).toBe('end-session');
  });

  it('ends the session when an older refresh token is presented', () => {
    expect(decideRefresh(session, genuine('older'), after(1))).toBe('end-session');
  });

  it('refuses a token that was never issued, without ending the session', () => {
    const forged = { hash: 'forged', isGenuine: false };
    expect(decideRefresh(session, forged, after(1))).toBe('refuse');
  });

  it('refuses even the newest refresh token of an expired session', () => {
    expect(decideRefresh(session, genuine('current'), session.expiresAt)).toBe('refuse');
  });
});

describe('rotated', () => {
  it('keeps accepting an exchanged token while the responses are lost repeatedly, until its grace period ends', () => {
    let lossy = session;
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      const at = after(attempt * 1_000);
      expect(decideRefresh(lossy, genuine('previous'), at)).toBe('rotate');
      lossy = { ...lossy, ...rotated(lossy, 'previous', `lost${attempt}`, at) };
      expect(lossy.recentHashes.length).toBeLessThanOrEqual(5);
    }
    expect(decideRefresh(lossy, genuine('lost9'), after(10_000))).toBe('rotate');
    const late = after(recentTokenGraceMs);
    expect(decideRefresh(lossy, genuine('previous'), late)).toBe('end-session');
  });

  it('accepts either token issued by two concurrent exchanges, however late, until the other one has been used', () => {
    const winner = { ...session, ...rotated(session, 'current', 'won', after(1)) };
    const both = { ...winner, ...rotated(winner, 'current', 'lost', after(2)) };
    const late = after(recentTokenGraceMs * 10);
    for (const [presented, sibling] of [
      ['won', 'lost'],
      ['lost', 'won'],
    ] as const) {
      expect(decideRefresh(both, genuine(presented), late)).toBe('rotate');
      const afterUse = { ...both, ...rotated(both, presented, 'next', late) };
      expect(decideRefresh(afterUse, genuine(sibling), late)).toBe('end-session');
      expect(decideRefresh(afterUse, genuine('next'), late)).toBe('rotate');
    }
    expect(decideRefresh(both, genuine('current'), late)).toBe('end-session');
  });

  it('accepts both tokens issued by two concurrent exchanges while neither has been used', () => {
    const winner = { ...session, ...rotated(session, 'current', 'won', after(1)) };
    const loser = { ...winner, ...rotated(winner, 'current', 'lost', after(2)) };
    expect(decideRefresh(loser, genuine('won'), after(3))).toBe('rotate');
    expect(decideRefresh(loser, genuine('lost'), after(3))).toBe('rotate');
  });
});
