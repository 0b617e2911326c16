import { describe, expect, it } from '@jest/globals';
import { firstEntry } from '../../agents/domain/history-entry';
import type { InboxItem } from '../../messaging/domain/inbox-item';
import { testAgent } from '../../test-support/test-agent';
import { approvalOf } from './approved-call';
import { beginWork } from './begin-work';
import { recordToolResults } from './turn-steps';

const agent = testAgent();
const at = new Date('2026-01-01T00:00:00Z');
const { state } = firstEntry(agent, at);
const limits = { emergencyContextLimit: 100_000 };

type Decision = Extract<InboxItem, { kind: 'permission_decision' }>;

const call = { toolName: 'file_write', argumentsJson: '{"path":"home/a.txt"}' };
const decision = (more: Partial<Decision> = {}): Decision => ({
  kind: 'permission_decision',
  agentId: agent.id,
  userId: agent.userId,
  messageId: 'm1',
  acceptedAt: at,
  permissionRequestId: 'p1',
  permission: 'tool:file_write',
  granted: true,
  contextFrom: state.contextFrom,
  call,
  ...more,
});
const begin = (item: Decision) => beginWork(state, [item], limits, agent);
const toolCall = { id: 'approved-p1', name: call.toolName, argumentsJson: call.argumentsJson };

describe('a turn that begins with an approved call', () => {
  it('a turn that begins with an approved call records the decision and exactly that call, in one step', () => {
    const { events, current } = begin(decision());
    expect(events).toMatchObject([
      { kind: 'user_message', origin: 'system', text: expect.stringContaining('approved') },
      { kind: 'assistant_message', text: '', toolCalls: [toolCall] },
    ]);
    expect(current).toMatchObject({
      turn: state.lastSequence + 1,
      iterations: 0,
      approved: { permissionRequestId: 'p1', toolCallId: 'approved-p1' },
    });
  });

  it.each([
    ['was denied', decision({ granted: false })],
    [
      'was for a permission rather than a call',
      { ...decision(), call: undefined } as unknown as Decision,
    ],
  ])('a turn that begins with a decision makes no call if the request %s', (_why, item) => {
    const { events, current } = begin(item);
    expect(events).toHaveLength(1);
    expect(current).not.toHaveProperty('approved');
  });

  it('an approved call does not begin a turn if the context was reset after the request', () => {
    const { events, current } = begin(decision({ contextFrom: state.contextFrom - 1 }));
    expect([events, current]).toEqual([[], undefined]);
  });

  it('an approval covers only its own call, and no later call with the same id', () => {
    const work = begin(decision()).current!;
    expect(approvalOf(work, toolCall)).toEqual({ permissionRequestId: 'p1', ...call });
    expect(approvalOf(work, { ...toolCall, id: 'other' })).toBeUndefined();
    const result = {
      kind: 'tool_result',
      toolCallId: 'approved-p1',
      toolName: 'file_write',
      resultJson: '{}',
      isError: false,
      truncated: false,
    } as const;
    const { current } = recordToolResults(work, [result]);
    expect(approvalOf(current!, toolCall)).toBeUndefined();
  });
});
