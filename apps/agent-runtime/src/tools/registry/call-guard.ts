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
import {
  refuseApproval,
  type ApprovalAnswer,
  type ConfirmApproval,
  type RequestApproval,
} from '../ports/approvals';
import type { Tool, ToolContext } from './tool';

export interface CallGuardDeps {
  readonly requestApproval: RequestApproval;
  readonly confirmApproval: ConfirmApproval;
  readonly findAgent: (agentId: string) => Promise<Agent | undefined>;
  /** The policy of a subuser, if its owner has set one. */
  readonly findUserPolicy: (userId: string) => Promise<ToolPolicy | undefined>;
  /** The loosest verdicts that the operator allows. */
  readonly ceiling: ToolRules;
  /** The rows of tools that are not in the table; for tests. */
  readonly extraRows: Readonly<Record<string, ToolRow>>;
}

/** No one can be asked for approval, and any agent named as a recipient counts as someone else's. */
export const strictestDeps: CallGuardDeps = {
  requestApproval: refuseApproval,
  confirmApproval: async () => false,
  findAgent: async () => undefined,
  findUserPolicy: async () => undefined,
  ceiling: {},
  extraRows: {},
};

export interface GuardedCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly argumentsJson: string;
  readonly context: ToolContext;
}

/** The guard's findings about a call that may run. */
export interface Admission {
  /**
   * Whether data that the tool reads is private and must not be shown to guests, unless the tool says
   * otherwise.
   */
  readonly readsPrivate: boolean;
  /** The context of the call, in which the guard has set `isShared`. */
  readonly context: ToolContext;
}

export type GuardAnswer =
  | { readonly kind: 'run'; readonly admission: Admission }
  | Extract<ApprovalAnswer, { kind: 'waiting' }>;

/** Decides before each call whether it may run in its turn; no other code does. */
export class CallGuard {
  /** For each tool, whether the operator's limits alone refuse it in every turn. */
  readonly #refusedByCeiling = new Map<string, boolean>();

  constructor(private readonly deps: CallGuardDeps) {}

  /** Throws if there is no row for the tool. */
  rowOf(name: string): ToolRow {
    const row = isToolName(name) ? toolTable[name] : this.deps.extraRows[name];
    if (!row) throw new Error(`the tool ${name} has no row in the tool policy`);
    return row;
  }

  /** Rejects with PERMISSION_DENIED when the call is refused. */
  async admit(call: GuardedCall): Promise<GuardAnswer> {
    const { tool, argumentsJson } = call;
    const { agent, trust, startedBy } = call.context;
    const row = this.rowOf(tool.name);
    const userPolicy = isTopLevel(agent) ? undefined : await this.deps.findUserPolicy(agent.userId);
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
      { ofAgent: agent.toolPolicy, ofUser: userPolicy, ceiling: this.deps.ceiling },
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

  /** Whether the guests of an agent share one conversation. */
  async isShared(agent: Agent): Promise<boolean> {
    return !isTopLevel(agent) && !hasSecrets(agent, await this.deps.findUserPolicy(agent.userId));
  }

  /**
   * Finds which tools the policies refuse to an agent in every turn, for every recipient; returns a test for
   * them.
   */
  async findRefusedTools(agent: Agent): Promise<(toolName: string) => boolean> {
    const userPolicy = isTopLevel(agent) ? undefined : await this.deps.findUserPolicy(agent.userId);
    const policies = { ofAgent: agent.toolPolicy, ofUser: userPolicy, ceiling: this.deps.ceiling };
    if (!policies.ofAgent && !policies.ofUser)
      return (toolName) => this.#isRefusedByCeiling(toolName);
    return (toolName) => isRefused(toolName, this.rowOf(toolName), policies);
  }

  /** Computed once per tool: the result never changes, and most agents have no policy. */
  #isRefusedByCeiling(toolName: string): boolean {
    const known = this.#refusedByCeiling.get(toolName);
    if (known !== undefined) return known;
    const refused = isRefused(toolName, this.rowOf(toolName), { ceiling: this.deps.ceiling });
    this.#refusedByCeiling.set(toolName, refused);
    return refused;
  }

  /** An approval covers one exact call, for as long as it is valid. */
  async #isApproved({ tool, argumentsJson, context }: GuardedCall): Promise<boolean> {
    const { agent, approval } = context;
    if (approval?.toolName !== tool.name || approval.argumentsJson !== argumentsJson) return false;
    if (await this.deps.confirmApproval(agent, approval.permissionRequestId)) return true;
    throw new AppError('PERMISSION_DENIED', 'The approval of this call was revoked');
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
 * Whether a call is refused at once because the tool is not for agents of subusers: an approval would not
 * change that.
 */
function isOutOfReach(row: ToolRow, { agent, trust }: ToolContext, verdict: Verdict): boolean {
  if (row.isTopLevelOnly !== true || isTopLevel(agent)) return false;
  return verdict === 'ask' || isForeign(trust);
}

function markShared(context: ToolContext): ToolContext {
  return { ...context, isShared: true };
}

/**
 * Whether anything must be kept from the guests of an agent. The data of a subuser and the words of its
 * guests are open to all of them, unless its owner has decided otherwise.
 */
function hasSecrets(agent: Agent, userPolicy: ToolPolicy | undefined): boolean {
  return isTopLevel(agent) || userPolicy?.isPrivate === true;
}
