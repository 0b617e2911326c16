import { AppError, isForeign, trustLevels } from '@daycare/api';
import {
  type Agent,
  isTopLevel,
  knowsPrivateData,
  type ToolPolicy,
  type ToolRules,
  type Verdict,
} from '../../agents';
import { judgeCall, type Policies } from '../domain/judge-call';
import { refusalText } from '../domain/refusal-wording';
import {
  audiences,
  isToolName,
  toolTable,
  type Audience,
  type ToolRow,
} from '../domain/tool-policy';
import type { ApprovalAnswer, ConfirmApproval, RequestApproval } from '../ports/approvals';
import type { Tool, ToolContext } from './tool';

export interface CallGuardDeps {
  readonly requestApproval: RequestApproval;
  readonly confirmApproval: ConfirmApproval;
  readonly findAgent: (agentId: string) => Promise<Agent | undefined>;
  /** Returns a subuser's policy, if its owner has set one. */
  readonly findUserPolicy: (userId: string) => Promise<ToolPolicy | undefined>;
  /** The loosest verdicts that the operator allows. */
  readonly ceiling: ToolRules;
  /** Rows for tools that are not in the tool table; for tests. */
  readonly extraRows?: Readonly<Record<string, ToolRow>>;
}

export interface GuardedCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly argumentsJson: string;
  readonly context: ToolContext;
}

/** The guard's findings about a call that may run. */
export interface Admission {
  /**
   * Whether data that the tool reads is private and must not be shown to guests, unless the tool labels it
   * otherwise.
   */
  readonly readsPrivate: boolean;
  /** The call's context; the guard has set `isShared` if the agent's guests share one conversation. */
  readonly context: ToolContext;
}

export type GuardAnswer =
  | { readonly kind: 'run'; readonly admission: Admission }
  | Extract<ApprovalAnswer, { kind: 'waiting' }>;

/** Decides, before each call, whether the tool policy lets it run in its turn; no other code decides this. */
export class CallGuard {
  /** By tool: whether the tool table and the operator's ceiling, without any policy, refuse it in every turn. */
  readonly #refusedByCeiling = new Map<string, boolean>();

  constructor(private readonly deps: CallGuardDeps) {}

  /** Returns the tool's row in the tool policy; throws if it has none. */
  rowOf(name: string): ToolRow {
    const row = isToolName(name) ? toolTable[name] : this.deps.extraRows?.[name];
    if (!row) throw new Error(`the tool ${name} has no row in the tool policy`);
    return row;
  }

  /** Decides whether a call runs or waits for approval; rejects with PERMISSION_DENIED if it is refused. */
  async admit(call: GuardedCall): Promise<GuardAnswer> {
    const { tool, argumentsJson } = call;
    const { agent, trust, startedBy } = call.context;
    const row = this.rowOf(tool.name);
    // Read at each call, because the turn's copy of the agent may be older than its newest policy.
    const [current = agent, userPolicy] = await Promise.all([
      this.deps.findAgent(agent.id),
      isTopLevel(agent) ? undefined : this.deps.findUserPolicy(agent.userId),
    ]);
    const context = hasSecrets(agent, userPolicy) ? call.context : markShared(call.context);
    const run = {
      kind: 'run',
      admission: { readsPrivate: row.readsPrivate === true && !context.isShared, context },
    } as const;
    const verdict = judgeCall(
      {
        ...context,
        readPrivate: knowsPrivateData(context),
        toolName: tool.name,
        row,
        audience: await this.#audienceOf(call),
        isLater: tool.isLater?.(call.args),
      },
      { ofAgent: current.toolPolicy, ofUser: userPolicy, ceiling: this.deps.ceiling },
    );
    if (verdict === 'refuse' || isOutOfReach(row, context, verdict))
      throw new AppError('PERMISSION_DENIED', refusalText(tool.name, trust, startedBy));
    if (verdict === 'run' || (await this.#isApproved(call))) return run;
    const answer = await this.deps.requestApproval({
      ...context,
      toolName: tool.name,
      argumentsJson,
    });
    return answer.kind === 'granted' ? run : answer;
  }

  /** Reports whether an agent's guests share one conversation. */
  async isShared(agent: Agent): Promise<boolean> {
    return !isTopLevel(agent) && !hasSecrets(agent, await this.deps.findUserPolicy(agent.userId));
  }

  /** Returns a predicate for the tools that the policies refuse to an agent in every turn and for every recipient. */
  async findRefusedTools(agent: Agent): Promise<(toolName: string) => boolean> {
    const userPolicy = isTopLevel(agent) ? undefined : await this.deps.findUserPolicy(agent.userId);
    const policies = { ofAgent: agent.toolPolicy, ofUser: userPolicy, ceiling: this.deps.ceiling };
    if (!policies.ofAgent && !policies.ofUser)
      return (toolName) => this.#isRefusedByCeiling(toolName);
    return (toolName) => isRefused(toolName, this.rowOf(toolName), policies);
  }

  /** Computed once per tool, because the result never changes and most agents have no policy. */
  #isRefusedByCeiling(toolName: string): boolean {
    const cached = this.#refusedByCeiling.get(toolName);
    if (cached !== undefined) return cached;
    const refused = isRefused(toolName, this.rowOf(toolName), { ceiling: this.deps.ceiling });
    this.#refusedByCeiling.set(toolName, refused);
    return refused;
  }

  /** Reports whether a person has approved exactly this call; throws if the approval has been revoked. */
  async #isApproved({ tool, argumentsJson, context }: GuardedCall): Promise<boolean> {
    const { agent, approval } = context;
    if (approval?.toolName !== tool.name || approval.argumentsJson !== argumentsJson) return false;
    if (await this.deps.confirmApproval(agent, approval.permissionRequestId)) return true;
    throw new AppError('PERMISSION_DENIED', 'The approval for this call was revoked');
  }

  async #audienceOf({ tool, args, context }: GuardedCall): Promise<Audience | undefined> {
    const recipient = tool.recipientOf?.(args, context);
    if (!recipient) return undefined;
    const { agent, startedBy } = context;
    switch (recipient.kind) {
      case 'home':
        return 'foreground';
      case 'sender':
      case 'others':
        return recipient.kind;
      case 'agent': {
        const to = await this.deps.findAgent(recipient.agentId);
        if (to?.userId === agent.userId) return to.foreground ? 'foreground' : 'own';
        return recipient.agentId === startedBy.sender?.agentId ? 'sender' : 'others';
      }
    }
  }
}

function isRefused(toolName: string, row: ToolRow, policies: Policies): boolean {
  const startedBy = { source: 'person', byPerson: true } as const;
  return trustLevels.every((trust) =>
    [undefined, ...audiences].every((audience) => {
      const call = { toolName, row, audience, trust, readPrivate: false, startedBy };
      return judgeCall(call, policies) === 'refuse';
    }),
  );
}

/**
 * Reports whether a call is refused without asking for approval because agents of subusers may not use the tool: an
 * approval would not change that. A call with the verdict `run` in one of the user's own turns is left to the tool, or
 * to the service behind it, to refuse.
 */
function isOutOfReach(row: ToolRow, { agent, trust }: ToolContext, verdict: Verdict): boolean {
  if (row.isTopLevelOnly !== true || isTopLevel(agent)) return false;
  return verdict === 'ask' || isForeign(trust);
}

function markShared(context: ToolContext): ToolContext {
  return { ...context, isShared: true };
}

/**
 * Reports whether an agent has anything that its guests may not see. All guests of a subuser may see the subuser's data
 * and each other's words, unless the subuser's owner has set `isPrivate`.
 */
function hasSecrets(agent: Agent, userPolicy: ToolPolicy | undefined): boolean {
  return isTopLevel(agent) || userPolicy?.isPrivate === true;
}
