import { describe, expect, it } from '@jest/globals';
import { DescriptorKind, HistoryRecord } from '@daycare/contracts/agent-runtime';
import { Topology } from '@daycare/contracts/topology';
import { lineOf } from './graph-of';
import { linesOf, travelledLines } from './travelled-lines';

const lines = linesOf(
  Topology.fromPartial({
    self: { userId: 'me' },
    agents: {
      agents: [
        { id: 'desk', userId: 'me', kind: DescriptorKind.USER },
        { id: 'gate', userId: 'cook', kind: DescriptorKind.SUBUSER },
      ],
    },
    subusers: { subusers: [{ subuserId: 'cook', nametag: 'cook1' }] },
    friends: {
      friends: [
        {
          nametag: 'otter7',
          sharesIn: [{ share: { subuserId: 'tutor', subuserNametag: 'tutor2' } }],
        },
      ],
    },
  }),
);
const desk = { id: 'desk', userId: 'me' };
const gate = { id: 'gate', userId: 'cook' };
const messageFrom = (origin: string) =>
  HistoryRecord.fromPartial({ record: { $case: 'userMessage', value: { origin } } });
const answer = (text: string, toolName = '', toolArguments: object = {}) => {
  const call = { name: toolName, argumentsJson: JSON.stringify(toolArguments) };
  const toolCalls = toolName === '' ? [] : [call];
  return HistoryRecord.fromPartial({
    record: { $case: 'assistantMessage', value: { text, toolCalls } },
  });
};

describe('the lines that a message travels along', () => {
  it.each([
    ['the person', '', desk, lineOf('me', 'desk')],
    ['a friend', 'friend:otter7', desk, lineOf('me', 'friend otter7')],
    ['a subuser that a friend shares', 'subuser:tutor2', desk, lineOf('friend otter7', 'tutor')],
    ['a subuser of mine', 'subuser:cook1', desk, lineOf('me', 'cook')],
    ['a guest to my subuser', 'friend:otter7', gate, lineOf('friend otter7', 'cook')],
    ['me to my subuser', 'owner:fox1', gate, lineOf('me', 'cook')],
    ['another agent', 'desk', gate, lineOf('me', 'desk')],
  ])('a message from %s travels along one line', (_, origin, agent, line) => {
    expect(travelledLines(messageFrom(origin), agent, lines)).toEqual([line]);
  });

  it.each([
    ['an answer to the person', answer('Hello'), [lineOf('me', 'desk')]],
    [
      'a message to a friend',
      answer('', 'friend_send', { nametag: 'otter7' }),
      [lineOf('me', 'friend otter7')],
    ],
    [
      'a message to a subuser that a friend shares',
      answer('', 'friend_send', { nametag: 'tutor2' }),
      [lineOf('friend otter7', 'tutor')],
    ],
    ['a call that sends nothing', answer('', 'file_read', { nametag: 'otter7' }), []],
    ['a message to an unknown recipient', answer('', 'friend_send', { nametag: 'x' }), []],
    ['an empty record', HistoryRecord.fromPartial({}), []],
  ])('derives the travelled lines from %s', (_, record, expected) => {
    expect(travelledLines(record, desk, lines)).toEqual(expected);
  });

  it('an answer to a guest travels along the line between the guest and the subuser', () => {
    const record = answer('', 'send_agent_message', { agentId: 'friend:otter7', text: 'hi' });
    expect(travelledLines(record, gate, lines)).toEqual([lineOf('friend otter7', 'cook')]);
  });

  it('derives no line from a call whose arguments are not valid JSON', () => {
    const record = HistoryRecord.fromPartial({
      record: {
        $case: 'assistantMessage',
        value: { toolCalls: [{ name: 'friend_send', argumentsJson: '{"nametag"' }] },
      },
    });
    expect(travelledLines(record, desk, lines)).toEqual([]);
  });
});
