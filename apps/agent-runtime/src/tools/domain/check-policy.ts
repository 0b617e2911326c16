import { FieldChecks, isForeign, isTrust, trustLevels, type Trust } from '@daycare/api';
import {
  stricterVerdict,
  type ToolPolicy,
  type ToolRules,
  type Verdict,
  verdicts,
} from '../../agents';
import { isToolName, toolTable, type ToolRow } from './tool-policy';

export interface PolicyScope {
  /** True if the policy applies to a subuser or to one of a subuser's agents; these have fewer tools. */
  readonly isSubuser: boolean;
  /** The loosest verdicts that the operator allows. */
  readonly ceiling: ToolRules;
}

/**
 * Throws INVALID_ARGUMENT unless the owner may set this policy. `field` is the name of the policy's field in the
 * caller's request.
 */
export function checkToolPolicy(policy: ToolPolicy, scope: PolicyScope, field: string): void {
  const checks = new FieldChecks();
  checks.require(
    policy.isPrivate === undefined || scope.isSubuser,
    field,
    'can set privacy for subusers only; data that your own agents read is always private',
  );
  for (const cell of cellsOf(policy.rules)) {
    const problem = problemOf(cell, scope);
    checks.require(problem === undefined, field, problem ?? '');
  }
  checks.done();
}

interface Cell {
  readonly tool: string;
  readonly trust: Trust;
  readonly verdict: Verdict;
}

function cellsOf(rules: ToolRules): Cell[] {
  return Object.entries(rules).flatMap(([tool, byTrust]) =>
    trustLevels.flatMap((trust) => {
      const verdict = byTrust[trust];
      return verdict ? [{ tool, trust, verdict }] : [];
    }),
  );
}

function problemOf({ tool, trust, verdict }: Cell, scope: PolicyScope): string | undefined {
  const quotedTool = JSON.stringify(tool);
  if (!isToolName(tool)) return `names ${quotedTool}, which is not a tool`;
  const row: ToolRow = toolTable[tool];
  if (row.isTopLevelOnly && scope.isSubuser)
    return `names ${quotedTool}, a tool that subusers do not have`;
  const loosest = scope.ceiling[tool]?.[trust] ?? 'run';
  if (stricterVerdict(verdict, loosest) !== verdict)
    return `must have "${loosest}" or stricter for ${tool} and "${trust}": the operator allows nothing looser`;
  if (row.isDecision && isForeign(trust) && verdict !== row.verdicts[trust])
    return `must have "${row.verdicts[trust]}" for ${tool} and "${trust}": only a person may decide this`;
  return undefined;
}

/** Parses rules from JSON; if they are invalid, returns the problem, to be printed after the name of the variable. */
export function parseToolRules(json: string): ToolRules | string {
  const value = parse(json);
  if (!isObject(value))
    return 'must be a JSON object that maps tools to objects, each of which maps trust levels to verdicts';
  for (const [tool, byTrust] of Object.entries(value)) {
    if (!isToolName(tool)) return `names ${JSON.stringify(tool)}, which is not a tool`;
    if (!isObject(byTrust))
      return `must map ${tool} to an object that maps trust levels to verdicts`;
    const invalidEntry = Object.entries(byTrust).find(
      ([trust, verdict]) => !isTrust(trust) || !isVerdict(verdict),
    );
    if (invalidEntry)
      return `has ${JSON.stringify(Object.fromEntries([invalidEntry]))} for ${tool}; expected a trust level (${trustLevels.join(', ')}) with a verdict (${verdicts.join(', ')})`;
  }
  return value as ToolRules;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isVerdict(value: unknown): value is Verdict {
  return verdicts.some((verdict) => verdict === value);
}
