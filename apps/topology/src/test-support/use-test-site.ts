import { useFixture } from '@daycare/testing/jest';
import { TestEdges } from './test-edge';

/** An edge that all tests of a file use. */
export function useTestSite() {
  return useFixture(async () => {
    const edges = await TestEdges.open();
    return { edges, site: await edges.start(), close: () => edges.close() };
  });
}
