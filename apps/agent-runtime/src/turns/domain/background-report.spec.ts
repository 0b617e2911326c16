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

it('a background agent does not end because of a message to its parent in a guest’s turn', () => {
  const ending = trustLevels.filter((trust) => isReportToParent(agent, messageTo('p1'), trust));
  expect(ending).toEqual(['person', 'own']);
});

it('only a message that reached the parent counts as a report', () => {
  expect(isReportToParent(agent, messageTo('p2'), 'own')).toBe(false);
  expect(isReportToParent(agent, messageTo('p1', true), 'own')).toBe(false);
});
