import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  PermissionDecision,
  PermissionState,
  TurnSource,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { PermissionQueue } from './permission-queue';
import {
  callText,
  permissionDetails,
  permissionNotice,
  permissionOutcome,
  permissionQuestion,
  readDecision,
} from './permission-wording';

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
  call: undefined,
  startedBy: undefined,
  ...more,
});

describe('PermissionQueue', () => {
  let queue: PermissionQueue;
  const caughtUp = { $case: 'caughtUp', value: {} } as const;
  const add = (...requests: PermissionRequest[]): void =>
    requests.forEach((value) => queue.add({ $case: 'permissionRequest', value }));
  beforeEach(() => {
    queue = new PermissionQueue(({ agentId }) => agentId !== 'elsewhere');
    queue.restart();
  });

  it('yields the requests for this chat one by one, oldest first', () => {
    add(request('p0', { agentId: 'elsewhere' }), request('p1'), request('p2'));
    expect(queue.next?.id).toBe('p1');
    queue.dismiss(request('p1'));
    expect(queue.next?.id).toBe('p2');
  });

  it('drops a request that was decided elsewhere', () => {
    add(request('p1'), request('p1', { state: PermissionState.DENIED }));
    expect(queue.next).toBeUndefined();
  });

  it('drops a request that a reopened stream no longer lists', () => {
    add(request('p1'), request('p2'));
    queue.restart();
    add(request('p2'));
    queue.add(caughtUp);
    expect(queue.next?.id).toBe('p2');
  });

  it('does not ask again about a dismissed request', () => {
    add(request('p1'));
    queue.dismiss(request('p1'));
    queue.restart();
    add(request('p1'));
    expect(queue.next).toBeUndefined();
  });
});

describe('permission wording', () => {
  it('asks on one line what is requested, by whom and why', () => {
    expect(permissionQuestion(request('p1', { reason: 'To look\n\u001b[2Kit up' }), '27')).toBe(
      'Allow network for agent "digger"? To look \\u001b[2Kit up [27 y = yes, 27 n = no] ',
    );
  });

  it('truncates a long reason in the question and shows the full reason above it', () => {
    const reason = 'because '.repeat(40);
    expect(permissionQuestion(request('p1', { reason }), '27').length).toBeLessThan(280);
    expect(permissionDetails(request('p1', { reason }))).toBe(reason);
    expect(permissionDetails(request('p1'))).toBeUndefined();
  });

  it.each([
    [
      'in your own turns and in turns that the same sender starts and that read nothing else written by guests or outsiders.',
      Trust.GUEST,
      true,
    ],
    ['in your own turns.', Trust.OWN, true],
    ['in turns that you start yourself.', Trust.PERSON, true],
    ['in your own turns, unless the turn has read something private.', Trust.OWN, false],
  ])('says that "always" covers calls %s', (covered, trust, hasReadPrivate) => {
    const call = { toolName: 'file_write', argumentsJson: '{}' };
    const source = TurnSource.FRIEND;
    const startedBy = { trust, source, origin: '', nametag: '', hasReadPrivate };
    const shown = permissionDetails(request('p1', { call, startedBy }));
    expect(shown).toContain('every file_write call, whatever its arguments');
    expect(shown).toContain(covered);
  });

  it('shows who started the turn that asks for a permission', () => {
    const startedBy = {
      trust: Trust.GUEST,
      source: TurnSource.FRIEND,
      origin: 'friend:otter7',
      nametag: 'otter7',
      hasReadPrivate: false,
    };
    const starter = 'The turn was started by a friend (otter7), trust guest.';
    expect(permissionDetails(request('p1', { startedBy }))).toBe(starter);
    expect(permissionNotice(request('p1', { startedBy }))).toContain(starter);
  });

  it('shows a call in full, with who started its turn and at what trust', () => {
    const argumentsJson = JSON.stringify({
      content: `a\nb\u202e${'x'.repeat(500)}`,
      path: 'home/a',
    });
    const shown = callText(
      request('p1', {
        call: { toolName: 'file_write', argumentsJson },
        startedBy: {
          trust: Trust.GUEST,
          source: TurnSource.FRIEND,
          origin: 'friend:otter7',
          nametag: 'otter7',
          hasReadPrivate: true,
        },
      }),
    );
    expect(shown.split('\n')).toEqual([
      'Agent "digger" wants to call file_write with exactly these arguments:',
      '{',
      `  "content": "a\\nb\\u202e${'x'.repeat(500)}",`,
      '  "path": "home/a"',
      '}',
      'The turn was started by a friend (otter7), trust guest; it has read something private.',
    ]);
  });

  it.each([
    ['27 y', 'GRANT'],
    [' 27  YES ', 'GRANT'],
    ['27 a', 'ALWAYS'],
    ['27 n', 'DENY'],
    ['27 No', 'DENY'],
  ] as const)('reads the answer %j as %s', (line, decision) => {
    expect(readDecision(line, '27')).toBe(PermissionDecision[decision]);
  });

  it.each(['y', 'yes', 'a', 'n', '', '28 y', '27', '27 y please', 'hello'])(
    'does not treat %j as an answer to a question with the code 27',
    (line) => {
      expect(readDecision(line, '27')).toBeUndefined();
    },
  );

  it('says whether the decision came too late', () => {
    expect(permissionOutcome(request('p1', { state: PermissionState.EXPIRED }))).toMatch(
      /^Too late/,
    );
    expect(permissionOutcome(request('p1', { state: PermissionState.GRANTED }))).toBe(
      'network for agent "digger": granted.',
    );
  });
});
