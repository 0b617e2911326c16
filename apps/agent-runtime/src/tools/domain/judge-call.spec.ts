import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isForeign, trustLevels, type Trust } from '@daycare/api';
import {
  itemSources,
  stricterVerdict,
  verdicts,
  type ToolPolicy,
  type Verdict,
} from '../../agents';
import { judgeCall, type JudgedCall, type Policies } from './judge-call';
import {
  audiences,
  toolNames,
  toolTable,
  type Audience,
  type ToolName,
  type ToolRow,
} from './tool-policy';

const noPolicies: Policies = { ceiling: {} };

function callOf(
  toolName: ToolName,
  trust: Trust,
  more: Partial<Omit<JudgedCall, 'toolName' | 'trust'>> = {},
): JudgedCall {
  const row: ToolRow = toolTable[toolName];
  const startedBy = { source: 'own_agent', byPerson: true } as const;
  return { toolName, row, trust, audience: undefined, readPrivate: false, startedBy, ...more };
}

const judge = (...call: Parameters<typeof callOf>): Verdict =>
  judgeCall(callOf(...call), noPolicies);
const policy = (tool: ToolName, trust: Trust, verdict: Verdict): ToolPolicy => ({
  rules: { [tool]: { [trust]: verdict } },
});

const anyCall = fc
  .record({
    toolName: fc.constantFrom(...toolNames),
    trust: fc.constantFrom(...trustLevels),
    audience: fc.option(fc.constantFrom(...audiences), { nil: undefined }),
    isLater: fc.boolean(),
    readPrivate: fc.boolean(),
    startedBy: fc.record({ source: fc.constantFrom(...itemSources), byPerson: fc.boolean() }),
  })
  .map(({ toolName, trust, ...more }) => callOf(toolName, trust, more));
const anyRules = fc.dictionary(
  fc.constantFrom(...toolNames),
  fc.dictionary(fc.constantFrom(...trustLevels), fc.constantFrom(...verdicts)),
);
const anyPolicies = fc.record({
  ofAgent: fc.option(fc.record({ rules: anyRules }), { nil: undefined }),
  ofUser: fc.option(fc.record({ rules: anyRules }), { nil: undefined }),
  ceiling: anyRules,
});

describe('judgeCall', () => {
  const cells = toolNames.flatMap((tool) => trustLevels.map((trust) => [tool, trust] as const));

  it.each(cells)(
    'without policies, %s in a turn with trust %s gets the verdict from the tool table',
    (tool, trust) => {
      const { verdicts: standard, later = standard, to = {} }: ToolRow = toolTable[tool];
      expect(judge(tool, trust)).toBe(standard[trust]);
      expect(judge(tool, trust, { isLater: true })).toBe(later[trust]);
      for (const audience of audiences)
        expect(judge(tool, trust, { audience })).toBe((to[audience] ?? standard)[trust]);
    },
  );

  it('a guest’s turn may emit a signal immediately, but needs approval if the call has a later effect', () => {
    expect(judge('emit_signal', 'guest')).toBe('run');
    expect(judge('emit_signal', 'guest', { isLater: true })).toBe('ask');
    expect(judge('emit_signal', 'outside', { isLater: true })).toBe('refuse');
    expect(judge('emit_signal', 'own', { isLater: true })).toBe('run');
  });

  it('a foreign turn that has read something private may message only the user’s own agents without approval', () => {
    const verdictsFor = (audience: Audience): Verdict[] =>
      (['guest', 'outside'] as const).map((trust) =>
        judge('send_agent_message', trust, { audience, readPrivate: true }),
      );
    expect(verdictsFor('sender')).toEqual(['ask', 'ask']);
    expect(verdictsFor('others')).toEqual(['ask', 'refuse']);
    expect(verdictsFor('own')).toEqual(['run', 'run']);
    expect(verdictsFor('foreground')).toEqual(['run', 'run']);
    expect(judge('friend_send', 'guest', { audience: 'sender', readPrivate: true })).toBe('ask');
  });

  it('the user’s own turns may send what they have read to anyone', () => {
    for (const trust of ['person', 'own'] as const)
      expect(judge('friend_send', trust, { audience: 'others', readPrivate: true })).toBe('run');
  });

  it('a turn with the trust "own" needs approval for a decision reserved for people, unless a person began the chain of turns', () => {
    const startedBy = { source: 'schedule', byPerson: false } as const;
    expect(judge('friend_add', 'own', { startedBy })).toBe('ask');
    expect(judge('friend_add', 'own')).toBe('run');
    expect(judge('cron_add', 'own', { startedBy })).toBe('run');
  });

  it('a stranger’s request may only be passed on to an agent that talks with the user', () => {
    const startedBy = { source: 'stranger', byPerson: false } as const;
    const loose = Object.fromEntries(toolNames.map((tool) => [tool, { outside: 'run' as const }]));
    for (const tool of toolNames)
      for (const audience of [undefined, ...audiences])
        expect(
          judgeCall(callOf(tool, 'outside', { audience, startedBy }), {
            ofAgent: { rules: loose },
            ceiling: {},
          }),
        ).toBe(audience === 'foreground' ? 'run' : 'refuse');
  });

  it('an agent’s policy overrides the policy of its user, and both override the tool table', () => {
    const call = callOf('cron_add', 'guest');
    const ofUser = policy('cron_add', 'guest', 'refuse');
    expect(judgeCall(call, { ofUser, ceiling: {} })).toBe('refuse');
    const ofAgent = policy('cron_add', 'guest', 'run');
    expect(judgeCall(call, { ofAgent, ofUser, ceiling: {} })).toBe('run');
    expect(judgeCall(callOf('cron_add', 'outside'), { ofAgent, ofUser, ceiling: {} })).toBe(
      'refuse',
    );
  });

  it('no policy lets a guest decide what is reserved for people', () => {
    for (const trust of ['guest', 'outside'] as const)
      expect(
        judgeCall(callOf('friend_add', trust), {
          ofAgent: policy('friend_add', trust, 'run'),
          ceiling: {},
        }),
      ).toBe('refuse');
  });

  it('no verdict is looser than the operator’s ceiling', () => {
    fc.assert(
      fc.property(anyCall, anyPolicies, (call, policies) => {
        const loosest = policies.ceiling[call.toolName]?.[call.trust] ?? 'run';
        const verdict = judgeCall(call, policies);
        expect(stricterVerdict(verdict, loosest)).toBe(verdict);
      }),
    );
  });

  it('once a foreign turn has read something private, no policy makes a verdict looser than the tool table', () => {
    fc.assert(
      fc.property(anyCall, anyPolicies, (drawn, policies) => {
        const call = { ...drawn, readPrivate: true };
        fc.pre(isForeign(call.trust));
        const verdict = judgeCall(call, policies);
        expect(stricterVerdict(verdict, judgeCall(call, noPolicies))).toBe(verdict);
      }),
    );
  });

  it('reading something private never makes a verdict looser', () => {
    fc.assert(
      fc.property(anyCall, anyPolicies, (call, policies) => {
        const verdict = judgeCall({ ...call, readPrivate: true }, policies);
        const before = judgeCall({ ...call, readPrivate: false }, policies);
        expect(stricterVerdict(verdict, before)).toBe(verdict);
      }),
    );
  });
});
