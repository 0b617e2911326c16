import { describe, expect, it } from '@jest/globals';
import { chooseProbes } from './choose-probes';

const choose = (only: string): string[] => chooseProbes(only).map(({ name }) => name);

describe('chooseProbes', () => {
  it('takes everything when nothing is asked for, bare limits first', () => {
    const names = choose('');
    expect(names.slice(0, 3)).toEqual(['grpc-echo', 'mongo-insert', 'jetstream-publish']);
    expect(names).toContain('identity CreateUser');
  });

  it('brings the bare limits along that a workload is compared with', () => {
    expect(choose('createuser')).toEqual(['grpc-echo', 'mongo-insert', 'identity CreateUser']);
  });

  it('takes a bare limit alone when only that is asked for', () => {
    expect(choose('jetstream')).toEqual(['jetstream-publish']);
  });

  it('takes nothing when no name has the text', () => {
    expect(choose('no such thing')).toEqual([]);
  });
});
