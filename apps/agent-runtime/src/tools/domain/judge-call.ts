import { isForeign, type Trust } from '@daycare/api';
import {
  type StartedBy,
  stricterVerdict,
  type ToolPolicy,
  type ToolRules,
  type Verdict,
} from '../../agents';
import type { Audience, ToolRow } from './tool-policy';

/** What is known about a call before it runs. */
export interface JudgedCall {
  readonly toolName: string;
  readonly row: ToolRow;
  /** The recipient of the text that the call sends; undefined for a tool that sends none. */
  readonly audience: Audience | undefined;
  /** Whether the call schedules a later effect, or changes one that is already scheduled. */
  readonly isLater?: boolean | undefined;
  readonly trust: Trust;
  /** Whether the turn has read something that must not be shown to whoever started it. */
  readonly readPrivate: boolean;
  readonly startedBy: Pick<StartedBy, 'source' | 'byPerson'>;
}

export interface Policies {
  /** The agent's policy; takes precedence over the policy of its user. */
  readonly ofAgent?: ToolPolicy | undefined;
  /** The policy of the subuser to which the agent belongs. */
  readonly ofUser?: ToolPolicy | undefined;
  /** The loosest verdicts that the operator allows. */
  readonly ceiling: ToolRules;
}

/** Decides whether a call runs, needs a person's approval or is refused. */
export function judgeCall(call: JudgedCall, policies: Policies): Verdict {
  const { toolName, trust } = call;
  const ceiling = policies.ceiling[toolName]?.[trust] ?? 'run';
  if (call.startedBy.source === 'stranger') return stricterVerdict(judgeStranger(call), ceiling);
  const standard = standardVerdict(call);
  const requested = overrideOf(call, policies) ?? standard;
  if (!isForeign(trust) || !call.readPrivate) return stricterVerdict(requested, ceiling);
  // Once a foreign turn has read something private, no policy may make a verdict looser than the tool table, and
  // the turn needs approval to send text to anyone but the user's own agents.
  const strictest = stricterVerdict(requested, standard);
  return stricterVerdict(mayLeak(call) ? stricterVerdict(strictest, 'ask') : strictest, ceiling);
}

/** A stranger's request may only be passed on to an agent that talks with the user. */
function judgeStranger({ audience }: JudgedCall): Verdict {
  return audience === 'foreground' ? 'run' : 'refuse';
}

function standardVerdict({ row, audience, isLater, trust, startedBy }: JudgedCall): Verdict {
  const { verdicts, to, later, isDecision } = row;
  const special = (isLater ? later : undefined) ?? (audience ? to?.[audience] : undefined);
  const verdict = (special ?? verdicts)[trust];
  return isDecision && trust === 'own' && !startedBy.byPerson
    ? stricterVerdict(verdict, 'ask')
    : verdict;
}

function overrideOf(
  { toolName, row, trust }: JudgedCall,
  { ofAgent, ofUser }: Policies,
): Verdict | undefined {
  const requested = ofAgent?.rules[toolName]?.[trust] ?? ofUser?.rules[toolName]?.[trust];
  return requested && row.isDecision ? stricterVerdict(requested, row.verdicts[trust]) : requested;
}

/** Reports whether the call sends text to someone who must not see private data. */
function mayLeak({ audience }: JudgedCall): boolean {
  return audience === 'sender' || audience === 'others';
}
