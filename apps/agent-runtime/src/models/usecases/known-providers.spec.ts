import { describe, expect, it } from '@jest/globals';
import { localProvider } from '../providers/local-provider';
import { KnownProviders } from './known-providers';

describe('KnownProviders', () => {
  it('reads the providers only when there is a revision that it does not know yet', async () => {
    let revision = 3;
    const reads: number[] = [];
    const providers = new KnownProviders({
      store: {
        read: async () => {
          reads.push(revision);
          return { revision, providers: [], changedBy: [] };
        },
      },
      configured: new Map(),
      make: () => localProvider,
      sealer: undefined,
      onChanged: () => undefined,
    });
    await providers.reload();
    await providers.reload(3);
    expect(reads).toEqual([3]);
    revision = 4;
    await providers.reload(4);
    await providers.reload(4);
    expect(reads).toEqual([3, 4]);
  });
});
