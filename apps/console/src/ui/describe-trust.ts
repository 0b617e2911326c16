import { Trust } from '@daycare/contracts/common';
import { TurnSource, type TurnStarter } from '@daycare/contracts/agent-runtime';

export interface DescribedTrust {
  readonly text: string;
  readonly kind: 'good' | 'plain' | 'warn' | 'bad';
}

const trusts: Readonly<Partial<Record<Trust, DescribedTrust>>> = {
  [Trust.PERSON]: { text: 'You', kind: 'good' },
  [Trust.OWN]: { text: 'Your agents', kind: 'plain' },
  [Trust.GUEST]: { text: 'Guest', kind: 'warn' },
  [Trust.OUTSIDE]: { text: 'Outside', kind: 'bad' },
};

/** Describes how far someone is trusted, for a badge. */
export function describeTrust(trust: Trust | undefined): DescribedTrust {
  return (trust && trusts[trust]) ?? { text: 'Unknown', kind: 'bad' };
}

/** Reports whether to warn the person that a turn has less trust than one that they or their own agents start. */
export function needsTrustBadge(starter: TurnStarter | undefined): boolean {
  return starter?.trust !== Trust.PERSON && starter?.trust !== Trust.OWN;
}

const sources: Readonly<Partial<Record<TurnSource, (starter: TurnStarter) => string>>> = {
  [TurnSource.PERSON]: () => 'you',
  [TurnSource.OWN_AGENT]: () => 'another of your agents',
  [TurnSource.OWNER_AGENT]: () => 'an agent of yours',
  [TurnSource.SCHEDULE]: () => 'a schedule',
  [TurnSource.FRIEND]: ({ nametag }) => `your friend ${nametag}`,
  [TurnSource.GUEST]: ({ nametag }) => `your guest ${nametag}`.trim(),
  [TurnSource.STRANGER]: ({ nametag }) => `${nametag || 'someone'}, who is not a friend yet`,
  [TurnSource.WEBHOOK]: () => 'a request over HTTP',
  [TurnSource.ENGINE]: () => 'Daycare itself',
};

/** Describes who started a turn, e.g. `your friend otter7`. */
export function describeStarter(starter: TurnStarter | undefined): string {
  return (starter && sources[starter.source]?.(starter)) ?? 'an unknown sender';
}
