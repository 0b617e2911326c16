import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { openTestSessions } from '../../test-support/test-sessions';

const test = useFixture(openTestSessions);

it('personal access tokens are read through indexes', async () => {
  const tokens = test.mongo.db.collection('personal_tokens');
  for (const query of [
    { ownerKey: 'ada', slot: { $exists: true } },
    { ownerKey: 'ada', 'request.id': 'r' },
    { 'opener.name': 'web' },
    { 'holder.userId': { $in: ['ada'] } },
  ]) {
    const plan = await tokens.find(query).explain('queryPlanner');
    expect(JSON.stringify(plan['queryPlanner'].winningPlan)).not.toContain('COLLSCAN');
  }
});
