import { AppError, FieldChecks, notFound } from '@daycare/api';
import { type Agent, agentDead, isTopLevel } from '../domain/agent';
import type { AgentSettings } from '../domain/agent-settings';
import { canBeRenamed, keyOf } from '../domain/descriptor/descriptor-kinds';
import type { ToolPolicy } from '../domain/tool-rules';
import type { AgentStore } from '../store/agent-store';
import { findVisibleAgent } from './visible-agent';

export interface ConfigureCall extends AgentSettings {
  readonly userId: string;
  readonly requestId: string;
  readonly agentId: string;
}

export interface ConfigureDeps {
  readonly agents: Pick<AgentStore, 'configure' | 'find'>;
  /** Throws unless the owner may set this policy. */
  readonly checkToolPolicy: (policy: ToolPolicy, isSubuser: boolean) => void;
  readonly now: () => Date;
}

/** Changes an agent's name, prompt or tool policy; omitted settings stay the same. */
export function makeConfigureAgent({ agents, checkToolPolicy, now }: ConfigureDeps) {
  return async (call: ConfigureCall): Promise<Agent> => {
    const { userId, requestId, agentId, toolPolicy } = call;
    check(call);
    const agent = await findVisibleAgent(agents, userId, agentId);
    if (toolPolicy) checkToolPolicy(toolPolicy, !isTopLevel(agent));
    const settings = trimmedSettings(call);
    const changesNameOrPrompt = settings.name !== undefined || settings.systemPrompt !== undefined;
    if (changesNameOrPrompt && !canBeRenamed(agent.kind))
      throw new AppError(
        'FAILED_PRECONDITION',
        'Only app and permanent agents can be given a new name or prompt',
      );
    const target = { userId: agent.userId, key: keyOf(agent.descriptor) };
    const request = { requestId: `${userId}/${requestId}`, now: now() };
    if (!(await agents.configure(target, settings, request))) throw agentDead();
    const configured = await agents.find(agentId);
    if (!configured) throw notFound('agent');
    return configured;
  };
}

function check({ requestId, agentId, name, systemPrompt, toolPolicy }: ConfigureCall): void {
  const checks = new FieldChecks().requestId(requestId).id(agentId, 'agent_id');
  if (name !== undefined) checks.line(name, 'name', { min: 1, max: 100 });
  if (systemPrompt !== undefined)
    checks.text(systemPrompt, 'system_prompt', { min: 0, max: 32_768 });
  const hasChange = [name, systemPrompt, toolPolicy].some((given) => given !== undefined);
  checks
    .require(hasChange, 'name', 'is required unless a system prompt or a tool policy is given')
    .done();
}

function trimmedSettings({ name, systemPrompt, toolPolicy }: ConfigureCall): AgentSettings {
  return { name: name?.trim(), systemPrompt: systemPrompt?.trim(), toolPolicy };
}
