import { estimateTokens, type Agent, type CurrentWork } from '../../agents';
import type { ResolvedModel, ToolSpec } from '../../models';
import type { PlannedCall } from '../../spending';

export interface PlanCallDeps {
  readonly tools: { readonly list: (agent: Agent) => readonly ToolSpec[] };
  readonly promptFor: (
    agent: Agent,
    tools: readonly ToolSpec[],
    work: CurrentWork,
  ) => Promise<string>;
}

/** The agent that makes the call, and the size of its context in tokens. */
export interface CallingAgent {
  readonly agent: Agent;
  readonly lease: { readonly fence: number };
  readonly state: { readonly contextTokens: number };
}

/** The model call that a turn makes next, for whoever counts what it uses. */
export function planCall(
  { agent, lease, state }: CallingAgent,
  work: CurrentWork,
  model: ResolvedModel,
  { tools, promptFor }: PlanCallDeps,
): PlannedCall {
  return {
    agent,
    trust: work.trust,
    fence: lease.fence,
    provider: model.provider,
    model: model.id,
    maxOutputTokens: model.maxOutputTokens,
    async estimateInput() {
      const specs = tools.list(agent);
      const prompt = await promptFor(agent, specs, work);
      return state.contextTokens + estimateTokens(prompt) + estimateTokens(JSON.stringify(specs));
    },
  };
}
