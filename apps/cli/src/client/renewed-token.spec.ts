import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthService,
} from '@daycare/contracts/health';
import { AppError } from '@daycare/api';
import { implementService, startRpcServer, type RpcServer } from '@daycare/rpc';
import { connect } from './rpc/connect';
import { resume } from './rpc/resume';

const silent = () => undefined;
const { SERVING, NOT_SERVING } = ServingStatus;

/** Ends every stream whose token is not `good`: after one element, or immediately for `bad`. */
const startServer = (): Promise<RpcServer> =>
  startRpcServer({
    listen: '127.0.0.1:0',
    pipeline: {
      authenticate: ({ metadata }) => ({
        kind: 'client',
        proof: 'token',
        name: String(metadata.get('authorization')[0]),
      }),
      limit: silent,
      observe: silent,
      log: { debug: silent, info: silent, warn: silent, error: silent },
      defaultTimeoutMs: 1_000,
    },
    services: [
      implementService(
        'grpc.health.v1.Health',
        HealthService,
        {
          roles: { check: ['client'], watch: ['client'] },
          scopes: { check: 'any', watch: 'any' },
        },
        {
          check: async () => ({ status: SERVING }),
          async *watch(_, { caller }) {
            const token = caller.kind === 'client' ? caller.name : '';
            if (token !== 'bad') yield { status: token === 'good' ? SERVING : NOT_SERVING };
            if (token === 'good') return;
            throw new AppError('UNAUTHENTICATED', 'token has expired');
          },
        },
      ),
    ],
  });

describe('a stream that outlives its token', () => {
  let server: RpcServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.drain(0));

  /** The statuses received with these tokens, each used until the next element; the last one stays. */
  const follow = async (...tokens: string[]): Promise<ServingStatus[]> => {
    const client = connect(HealthService, {
      service: 'identity',
      address: server.address,
      context: 'work',
      tls: undefined,
      timeoutMs: 2_000,
      authorise: async () => tokens[0],
    });
    const seen: ServingStatus[] = [];
    const open = async function* () {
      for await (const item of client.watch({ service: '' })) {
        if (tokens.length > 1) tokens.shift();
        yield item;
      }
    };
    const options = {
      mayResume: () => false,
      onDisconnect: () => seen.push(ServingStatus.UNKNOWN),
    };
    try {
      for await (const { status } of resume(open, options)) seen.push(status);
      return seen;
    } finally {
      client.close();
    }
  };

  it('resumes a stream silently with each renewed token', async () => {
    const seen = await follow('first', 'second', 'good');
    expect(seen).toEqual([NOT_SERVING, NOT_SERVING, SERVING]);
  });

  it.each([
    ['the token is not renewed', ['first']],
    ['the renewed token is rejected as well', ['first', 'bad']],
  ])('a stream fails when %s', async (_, tokens) => {
    await expect(follow(...tokens)).rejects.toMatchObject({
      error: { code: 'UNAUTHENTICATED' },
      token: { isRenewed: false },
    });
  });
});
