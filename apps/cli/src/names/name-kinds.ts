/** Everything that commands accept by name or by the beginning of an id; `sources.ts` says how each is found. */
export const nameKinds = [
  'agent',
  'subuser',
  'friend',
  'cron',
  'heartbeat',
  'endpoint',
  'permission',
  'grant',
  'deadLetter',
  'upload',
  'token',
  'session',
  'channel',
] as const;

export type NameKind = (typeof nameKinds)[number];
