import { useFixture } from '@daycare/testing/jest';
import { TestEdges } from './test-edge';

/** Provides one edge, shared by all tests in a file. */
export function useTestSite() {
  return useFixture(async () => {
    const edges = await TestEdges.open();
    return { edges, site: await edges.start(), close: () => edges.close() };
  });
}
