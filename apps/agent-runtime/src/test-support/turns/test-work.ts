import type { CurrentWork } from '../../agents';

/** Work that has just begun on a person's message. */
export function testWork(overrides: Partial<CurrentWork> = {}): CurrentWork {
  return {
    messageIds: ['m1'],
    replyTarget: '',
    failures: 0,
    interruptions: 0,
    notBefore: undefined,
    turn: 2,
    iterations: 0,
    toolCalls: 0,
    spentMs: 0,
    hops: 0,
    trust: 'person',
    readPrivate: false,
    startedBy: { source: 'person', origin: '', byPerson: true },
    ...overrides,
  };
}

/** The content of a person's decision to grant the `network` permission. */
export const networkGranted = {
  kind: 'permission_decision',
  permissionRequestId: 'r',
  permission: 'network',
  granted: true,
  contextFrom: 1,
} as const;
