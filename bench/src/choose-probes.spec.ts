import { describe, expect, it } from '@jest/globals';
import { chooseProbes } from './choose-probes';

const choose = (only: string): string[] =>
  chooseProbes({ only, reach: false }).map(({ name }) => name);

describe('chooseProbes', () => {
  it('without a filter, the bare limits are chosen first, and workloads after them', () => {
    const names = choose('');
    expect(names.slice(0, 3)).toEqual(['grpc-echo', 'mongo-insert', 'jetstream-publish']);
    expect(names).toContain('identity CreateUser');
  });

  it('the bare limits that a chosen workload is compared with are also chosen', () => {
    expect(choose('createuser')).toEqual(['grpc-echo', 'mongo-insert', 'identity CreateUser']);
  });

  it('a bare limit is chosen alone when only its name matches', () => {
    expect(choose('jetstream')).toEqual(['jetstream-publish']);
  });

  it('no probe is chosen when no name matches', () => {
    expect(choose('no such thing')).toEqual([]);
  });

  it('--reach chooses only the probes and concurrencies that a comparison of two runs uses', () => {
    const probes = chooseProbes({ only: '', reach: true });
    const names = probes.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['grpc-echo', 'mongo-insert']);
    expect(names).not.toContain('jetstream-publish');
    const send = probes.find(({ name }) => name.endsWith('SendFriendMessage, delivered'));
    expect(send?.inFlight).toEqual([1, 64]);
  });
});
