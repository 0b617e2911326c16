import { describe, expect, it } from '@jest/globals';
import { AgentSummary, DescriptorKind } from '@daycare/contracts/agent-runtime';
import { TopologySubuser } from '@daycare/contracts/topology';
import { groupAgents } from './group-agents';

const agent = (label: string, userId: string, kind: DescriptorKind): AgentSummary =>
  AgentSummary.fromPartial({ id: label, label, userId, kind });
const agents = [
  agent('helper', 'me', DescriptorKind.SUBAGENT),
  agent('cli:me', 'me', DescriptorKind.USER),
  agent('worker', 'sub', DescriptorKind.SUBAGENT),
  agent('Recipes', 'sub', DescriptorKind.SUBUSER),
];
const subusers = [TopologySubuser.fromPartial({ subuserId: 'sub', name: 'Recipes' })];

function labels(searchText: string): readonly (readonly [string, readonly string[]])[] {
  const nameOf = ({ label }: AgentSummary): string => `shown ${label}`;
  return groupAgents(agents, subusers, 'me', searchText, nameOf).map(
    ({ title, agents: members }) => [title, members.map(({ label }) => label)],
  );
}

describe('groupAgents', () => {
  it('lists conversations first, and a subuser’s gateway agent before its other agents', () => {
    expect(labels('')).toEqual([
      ['Conversations', ['cli:me']],
      ['Other agents', ['helper']],
      ['Recipes', ['Recipes', 'worker']],
    ]);
  });

  it('finds agents by part of the name that is shown, ignoring case, and omits empty groups', () => {
    expect(labels(' SHOWN WORK ')).toEqual([['Recipes', ['worker']]]);
  });
});
