import { Trust } from '@daycare/contracts/common';

export interface DescribedOrigin {
  readonly text: string;
  /** Undefined if Daycare itself sent the message. */
  readonly trust: Trust | undefined;
}

interface Kind {
  readonly prefix: string;
  readonly text: (name: string) => string;
  readonly trust: Trust;
}

const kinds: readonly Kind[] = [
  { prefix: 'friend:', text: (name) => `${name}, a friend`, trust: Trust.GUEST },
  { prefix: 'subuser:', text: (name) => `${name}, a subuser`, trust: Trust.GUEST },
  { prefix: 'owner:', text: (name) => `${name}, the owner`, trust: Trust.OWN },
  { prefix: 'result:cron:', text: (name) => `Result of ${name}`, trust: Trust.OWN },
  { prefix: 'result:heartbeat', text: () => 'Heartbeat result', trust: Trust.OWN },
  { prefix: 'cron:', text: (name) => `Schedule ${name}`, trust: Trust.OWN },
  { prefix: 'heartbeat', text: () => 'Heartbeats', trust: Trust.OWN },
  { prefix: 'signal:', text: (name) => `Signal ${name}`, trust: Trust.OWN },
  { prefix: 'channel:', text: (name) => `Channel ${name}`, trust: Trust.OWN },
  { prefix: 'webhook:', text: (name) => `HTTP request ${name}`, trust: Trust.OUTSIDE },
];

/** Describes a sender and how far they are trusted. An agent is shown by name or, if it is not listed, by its id. */
export function describeOrigin(
  origin: string,
  originName: string,
  labelOf: (agentId: string) => string | undefined,
): DescribedOrigin {
  if (origin === 'system') return { text: 'Daycare', trust: undefined };
  for (const { prefix, text, trust } of kinds)
    if (origin.startsWith(prefix))
      return { text: text(originName || origin.slice(prefix.length)), trust };
  const label = originName || labelOf(origin);
  return label === undefined
    ? { text: `Agent ${origin}`, trust: Trust.GUEST }
    : { text: label, trust: Trust.OWN };
}
