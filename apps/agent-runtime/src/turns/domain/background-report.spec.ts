import { expect, it } from '@jest/globals';
import { trustLevels } from '@daycare/api';
import { isReportToParent } from './background-report';

const descriptor = { kind: 'subagent', id: 's1', parentAgentId: 'p1', name: 'digger' } as const;
const agent = { kind: 'subagent', descriptor } as const;
const messageTo = (agentId: string, isError = false) => ({
  toolName: 'send_agent_message',
  resultJson: JSON.stringify({ agentId }),
  isError,
});

it('a background agent’s message to its parent does not count as a report in a turn that a guest or outsider started', () => {
  const trustsThatCount = trustLevels.filter((trust) =>
    isReportToParent(agent, messageTo('p1'), trust),
  );
  expect(trustsThatCount).toEqual(['person', 'own']);
});

it('a background agent’s message counts as a report only if it reached the parent', () => {
  expect(isReportToParent(agent, messageTo('p2'), 'own')).toBe(false);
  expect(isReportToParent(agent, messageTo('p1', true), 'own')).toBe(false);
});
