import { describe, expect, it } from '@jest/globals';
import { decideRefresh, previousTokenGraceMs, type Session } from './session';

const rotatedAt = new Date('2026-11-16T10:00:00Z');
const session: Session = {
  id: 's1',
  holder: { kind: 'admin' },
  currentHash: 'current',
  previousHash: 'previous',
  rotatedAt,
  expiresAt: new Date('2026-12-16T10:00:00Z'),
};
const after = (ms: number): Date => new Date(rotatedAt.getTime() + ms);

describe('decideRefresh', () => {
  it('exchanges the newest refresh token', () => {
    expect(decideRefresh(session, 'current', after(1))).toBe('rotate');
  });

  it('exchanges the previous refresh token within the grace period, to the millisecond', () => {
    expect(decideRefresh(session, 'previous', after(previousTokenGraceMs - 1))).toBe('rotate');
    expect(decideRefresh(session, 'previous', after(previousTokenGraceMs))).toBe('end-session');
  });

  it('ends the session when an older refresh token is presented', () => {
    expect(decideRefresh(session, 'older', after(1))).toBe('end-session');
  });

  it('refuses every refresh token of an expired session', () => {
    expect(decideRefresh(session, 'current', session.expiresAt)).toBe('refuse');
  });
});
