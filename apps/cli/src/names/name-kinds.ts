/** The kinds of things that commands accept by name or id; `sources.ts` says how each kind is listed. */
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
