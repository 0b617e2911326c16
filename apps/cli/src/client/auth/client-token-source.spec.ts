import { beforeEach, describe, expect, it } from '@jest/globals';
import { ClientTokenSource } from './client-token-source';

const minuteMs = 60_000;

describe('the token of a client', () => {
  let nowMs: number;
  let issued: number;
  let source: ClientTokenSource;
  beforeEach(() => {
    nowMs = 0;
    issued = 0;
    const issue = async () => {
      issued += 1;
      const accessExpiresAt = new Date(nowMs + 15 * minuteMs);
      return {
        accessToken: `t${issued}`,
        accessExpiresAt,
        refreshToken: '',
        refreshExpiresAt: undefined,
      };
    };
    source = new ClientTokenSource(issue, () => nowMs);
  });

  it('the token of a client is used until it is about to expire', async () => {
    await expect(source.authorise()).resolves.toBe('Bearer t1');
    nowMs = 14 * minuteMs;
    await expect(source.authorise()).resolves.toBe('Bearer t1');
    nowMs = 15 * minuteMs;
    await expect(source.authorise()).resolves.toBe('Bearer t2');
  });

  it('the token of a client is replaced after a refusal, unless it is new', async () => {
    const first = await source.authorise();
    await expect(source.authorise(first)).resolves.toBe(first);
    nowMs = minuteMs;
    await expect(source.authorise(first)).resolves.toBe('Bearer t2');
    await expect(source.authorise(first)).resolves.toBe('Bearer t2');
    expect(issued).toBe(2);
  });
});
