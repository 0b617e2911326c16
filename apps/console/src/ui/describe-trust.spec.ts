import { describe, expect, it } from '@jest/globals';
import { TurnSource, type TurnStarter } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import { describeStarter, needsTrustBadge } from './describe-trust';

const starterOf = (source: TurnSource, trust: Trust): TurnStarter => ({
  source,
  trust,
  nametag: 'otter7',
  hasReadPrivate: false,
  origin: '',
});

describe('who started a turn', () => {
  it.each([
    [TurnSource.PERSON, Trust.PERSON, 'you', false],
    [TurnSource.OWN_AGENT, Trust.OWN, 'another of your agents', false],
    [TurnSource.FRIEND, Trust.GUEST, 'your friend otter7', true],
    [TurnSource.WEBHOOK, Trust.OUTSIDE, 'a request over HTTP', true],
    [TurnSource.PERSON, Trust.OUTSIDE, 'you', true],
  ])('describes source %s with trust %s as “%s” (warning: %s)', (source, trust, text, isWarned) => {
    const starter = starterOf(source, trust);
    expect([describeStarter(starter), needsTrustBadge(starter)]).toEqual([text, isWarned]);
  });

  it('describes an unknown starter as an unknown sender, with a warning', () => {
    expect([describeStarter(undefined), needsTrustBadge(undefined)]).toEqual([
      ...['an unknown sender', true],
    ]);
  });
});
