import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { PermissionQueue } from './permission-queue';
import {
  longReason,
  permissionOutcome,
  permissionQuestion,
  readDecision,
} from './permission-words';

const request = (id: string, more: Partial<PermissionRequest> = {}): PermissionRequest => ({
  id,
  userId: 'u1',
  agentId: 'a1',
  agentLabel: 'digger',
  permission: 'network',
  reason: 'To look it up',
  state: PermissionState.PENDING,
  target: undefined,
  createdAt: undefined,
  expiresAt: undefined,
  decidedAt: undefined,
  ...more,
});

describe('the requests that wait for a person', () => {
  let queue: PermissionQueue;
  const caughtUp = { $case: 'caughtUp', value: {} } as const;
  const hear = (...requests: PermissionRequest[]): void =>
    requests.forEach((value) => queue.hear({ $case: 'permissionRequest', value }));
  beforeEach(() => {
    queue = new PermissionQueue(({ agentId }) => agentId !== 'elsewhere');
    queue.begin();
  });

  it('are put one after the other, oldest first, and only those for here', () => {
    hear(request('p0', { agentId: 'elsewhere' }), request('p1'), request('p2'));
    expect(queue.next?.id).toBe('p1');
    queue.leave(request('p1'));
    expect(queue.next?.id).toBe('p2');
  });

  it('wait no longer when somebody else has decided', () => {
    hear(request('p1'), request('p1', { state: PermissionState.DENIED }));
    expect(queue.next).toBeUndefined();
  });

  it('wait no longer when a stream that begins again does not have them', () => {
    hear(request('p1'), request('p2'));
    queue.begin();
    hear(request('p2'));
    queue.hear(caughtUp);
    expect(queue.next?.id).toBe('p2');
  });

  it('are not put again once they were left open', () => {
    hear(request('p1'));
    queue.leave(request('p1'));
    queue.begin();
    hear(request('p1'));
    expect(queue.next).toBeUndefined();
  });
});

describe('the question', () => {
  it('says what is wanted, by whom and why, on one line', () => {
    expect(permissionQuestion(request('p1', { reason: 'To look\n\u001b[2Kit up' }))).toBe(
      'Allow network for agent "digger"? To look \\u001b[2Kit up [y/N] ',
    );
  });

  it('has a long reason cut, which is shown whole beside it', () => {
    const reason = 'because '.repeat(40);
    expect(permissionQuestion(request('p1', { reason })).length).toBeLessThan(260);
    expect(longReason(request('p1', { reason }))).toBe(reason);
    expect(longReason(request('p1'))).toBeUndefined();
  });

  it.each([
    ['y', PermissionDecision.GRANT],
    [' YES ', PermissionDecision.GRANT],
    ['', PermissionDecision.DENY],
    ['n', PermissionDecision.DENY],
    ['No', PermissionDecision.DENY],
    ['yes please', undefined],
    ['hello', undefined],
  ])('takes %j for %s', (line, decision) => {
    expect(readDecision(line)).toBe(decision);
  });

  it('that came too late is said to have', () => {
    expect(permissionOutcome(request('p1', { state: PermissionState.EXPIRED }))).toMatch(
      /^Too late/,
    );
    expect(permissionOutcome(request('p1', { state: PermissionState.GRANTED }))).toBe(
      'network for agent "digger": granted.',
    );
  });
});
