import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSessions } from '../../test-support/test-sessions';

let test: Awaited<ReturnType<typeof openTestSessions>>;
beforeAll(async () => {
  test = await openTestSessions();
});
afterAll(() => test.close());

const refused = { code: 'UNAUTHENTICATED', message: 'The refresh token is not valid' };
const open = async (): Promise<string> =>
  test.refreshTokenOf(
    await test.mint.openSession({ kind: 'admin' }, { name: 'admin', credentialId: 'secret1' }),
  );
const next = async (token: string): Promise<string> =>
  test.refreshTokenOf(await test.refresh(token));

describe('refreshing a session', () => {
  it('a session survives a forged refresh token that contains its id, which every access token reveals', async () => {
    const token = await open();
    const [sessionId] = token.split('.');
    for (const letter of 'Az_') {
      const forged = `${sessionId}.${letter.repeat(43)}`;
      await expect(test.refresh(forged)).rejects.toMatchObject(refused);
    }
    await expect(next(token)).resolves.toContain(`${sessionId}.`);
  });

  it('a session survives a refresh token forged with the key of another session', async () => {
    const [mine, other] = [await open(), await open()];
    const forged = `${mine.split('.')[0]}.${other.split('.')[1]}`;
    await expect(test.refresh(forged)).rejects.toMatchObject(refused);
    await expect(next(mine)).resolves.toBeDefined();
  });

  it('a session survives two lost responses in a row', async () => {
    const first = await open();
    await test.refresh(first);
    await test.refresh(first);
    const third = await next(first);
    await expect(next(third)).resolves.toBeDefined();
  });

  it('a session ends when an old refresh token is used after its grace period', async () => {
    const first = await open();
    const second = await next(first);
    test.advance(30_000);
    await expect(test.refresh(first)).rejects.toMatchObject(refused);
    await expect(test.refresh(second)).rejects.toMatchObject(refused);
  });
});
