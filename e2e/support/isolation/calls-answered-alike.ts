/** Calls that succeed with the same response whether a resource belongs to another user or does not exist. */
export const callsAnsweredAlike: ReadonlySet<string> = new Set([
  ...[
    'listPermissionRequests',
    'listGrants',
    'listDeadLetters',
    'listSignals',
    'unsubscribeSignal',
  ],
  // The stream itself succeeds, and each response in it is the same refusal.
  'sendFriendMessages',
  ...['signal_events', 'signal_unsubscribe', 'exec', 'memory_delete'],
  // A call that the agent makes on its own initiative waits for approval before anything is looked up.
  'friend_add',
]);
