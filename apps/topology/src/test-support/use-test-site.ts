import { useFixture } from '@daycare/testing/jest';
import { TestEdges, type EdgeChanges } from './test-edge';

/** Provides one edge, shared by all tests in a file. */
export function useTestSite(changes?: EdgeChanges) {
  return useFixture(async () => {
    const edges = await TestEdges.open();
    return { edges, site: await edges.start(changes), close: () => edges.close() };
  });
}
