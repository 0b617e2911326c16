import { describe, expect, it } from '@jest/globals';
import { joinPages } from './load-topology';
import { RequestIds } from './rpc/request-ids';

describe('joinPages', () => {
  it('joins the lists in each section, and takes everything else from the first page', () => {
    const page = (revision: string, ...ids: string[]) =>
      ({ revision, agents: { status: 'S', count: 3, agents: ids } }) as never;
    expect(joinPages(page('1', 'a', 'b'), page('2', 'c'))).toEqual(page('1', 'a', 'b', 'c'));
  });
});

describe('RequestIds', () => {
  it('derives its ids from a given first id or, without one, from a new id', () => {
    const take = (ids: RequestIds): string[] => [ids.next(), ids.next()];
    expect(take(new RequestIds('r'))).toEqual(['r', 'r.2']);
    expect(take(new RequestIds())).not.toEqual(take(new RequestIds()));
  });
});
