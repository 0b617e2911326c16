import { expect, it } from '@jest/globals';
import { AgentRole } from '@daycare/contracts/agent-runtime';
import { readRole } from './model-messages';

it('a role that this version does not know is refused, not read as no role', () => {
  expect(readRole(AgentRole.UNSPECIFIED)).toBeUndefined();
  expect(() => readRole(AgentRole.UNRECOGNIZED)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  );
});
