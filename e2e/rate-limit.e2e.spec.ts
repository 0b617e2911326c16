import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityServiceService } from '@daycare/contracts/identity';
import type { AppError } from '@daycare/errors';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import { startTestStack, type TestStack } from '@daycare/testing';

let stack: TestStack;
let identity: RpcClient<typeof IdentityServiceService>;
beforeAll(async () => {
  const env = { DAYCARE_RATE_PER_SECOND: '1', DAYCARE_RATE_BURST: '5' };
  stack = await startTestStack({ services: ['identity'], env });
  identity = createRpcClient(IdentityServiceService, { address: stack.addressOf('identity') });
}, 60_000);
afterAll(async () => {
  identity.close();
  await stack.stop();
});

async function newUserMetadata(requestId: string): Promise<{ authorization: string }> {
  const admin = { metadata: stack.adminMetadata };
  const { user } = await identity.createUser({ requestId, name: 'Ada' }, admin);
  const request = { userId: user!.id, agentId: '', publicKeyJwk: '' };
  const { tokens } = await identity.issueToken(request, admin);
  return { authorization: `Bearer ${tokens!.accessToken}` };
}

describe('a caller that asks too much', () => {
  it('is told to wait, and for how long, while others are served', async () => {
    const [eager, calm] = await Promise.all([newUserMetadata('eager'), newUserMetadata('calm')]);
    const list = (metadata: { authorization: string }) =>
      identity.listSubusers({ pageSize: 1, pageToken: '' }, { metadata }).then(
        () => undefined,
        (error: unknown) => error as AppError,
      );
    const answers = await Promise.all(Array.from({ length: 20 }, () => list(eager)));
    const refusals = answers.filter((error) => error !== undefined);
    expect(refusals.length).toBeGreaterThanOrEqual(12);
    for (const { code, details } of refusals) {
      expect(code).toBe('RATE_LIMITED');
      expect(details.retryAfterMs).toBeGreaterThan(0);
      expect(details.retryAfterMs).toBeLessThanOrEqual(1_000);
    }
    await expect(list(calm)).resolves.toBeUndefined();
  });
});
