import { describe, expect, it } from '@jest/globals';
import { decideRefresh, lostAnswerMs, type Session } from './session';

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

describe('presenting a refresh token', () => {
  it('exchanges the newest', () => {
    expect(decideRefresh(session, 'current', after(1))).toBe('rotate');
  });

  it('exchanges the one before while its answer may have been lost, to the millisecond', () => {
    expect(decideRefresh(session, 'previous', after(lostAnswerMs - 1))).toBe('rotate');
    expect(decideRefresh(session, 'previous', after(lostAnswerMs))).toBe('end-session');
  });

  it('ends the session for any other: somebody has a copy', () => {
    expect(decideRefresh(session, 'older', after(1))).toBe('end-session');
  });

  it('refuses all of them once the session has expired', () => {
    expect(decideRefresh(session, 'current', session.expiresAt)).toBe('refuse');
  });
});
