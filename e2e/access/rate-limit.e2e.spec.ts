import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@daycare/api';
import { HealthService } from '@daycare/contracts/health';
import { createRpcClient, type CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({
  services: ['identity'],
  env: { DAYCARE_RATE_PER_SECOND: '1', DAYCARE_RATE_BURST: '5', DAYCARE_MAX_STREAMS_PER_USER: '3' },
});
const { people, identity } = stack;

describe('the rate limit', () => {
  it('a caller above the rate limit gets RATE_LIMITED with the time to wait, while other callers are served', async () => {
    const [eager, calm] = await people.newPair();
    const list = ({ as }: { readonly as: CallOptions }) =>
      identity.listSubusers({ pageSize: 1, pageToken: '' }, as).then(
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

describe('the stream limit', () => {
  it('a caller at the stream limit cannot open another stream until one ends, while other callers can', async () => {
    const [eager, calm] = await people.newPair();
    const health = createRpcClient(HealthService, { address: stack.addressOf('identity') });
    const open = async ({ as }: { readonly as: CallOptions }) => {
      const controller = new AbortController();
      const answers = health.watch({ service: '' }, { ...as, signal: controller.signal });
      await answers[Symbol.asyncIterator]().next();
      return controller;
    };
    const streams = await Promise.all([open(eager), open(eager), open(eager)]);
    await expect(open(eager)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    streams.push(await open(calm));
    streams[0].abort();
    streams.push(await eventually(() => open(eager).catch(() => undefined)));
    for (const stream of streams) stream.abort();
    health.close();
  });
});
