import { AppError, FieldChecks } from '@daycare/api';
import type { AgentReader, AgentRole, Directory } from '../../agents';
import { type Requester, findSpender } from '../../spending';
import { nameOf, type ResolvedModel } from '../catalogue/model-entry';
import {
  decidingSetting,
  type ModelLevel,
  type ModelSetting,
  type ModelSubject,
} from '../domain/model-levels';
import { notConfigured } from '../domain/pick-model';
import { candidatesOf, currentOf, type ChooseModelDeps } from './choose-model';
import { subjectOf } from './model-settings';

export interface GetModelCall {
  readonly requester: Requester;
  /** Empty for the requester or, when an operator asks, for the instance. */
  readonly userId: string;
  readonly agentId: string;
  /** Without an agent: the role of a new agent; undefined for one that talks with a person. */
  readonly role: AgentRole | undefined;
}

/** A model as shown to callers. */
export interface ModelView {
  readonly model: ResolvedModel;
  /** Why the model cannot currently be used; empty when it can. */
  readonly problem: string;
}

export interface ModelInUse {
  readonly current: ModelView;
  readonly choices: readonly ModelView[];
  readonly level: ModelLevel;
  /** Only levels with a choice, most specific first. */
  readonly settings: readonly ModelSetting[];
}

export interface GetModelDeps extends ChooseModelDeps {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly directory: Directory;
}

/** Returns the model that an agent, or a user's new agents, currently use, and the level at which it was chosen. */
export function makeGetModel(deps: GetModelDeps) {
  return async (call: GetModelCall): Promise<ModelInUse> => {
    const checks = new FieldChecks();
    if (call.userId !== '') checks.id(call.userId, 'user_id');
    if (call.agentId !== '') checks.id(call.agentId, 'agent_id');
    const isOperator = call.requester.kind === 'operator';
    const needsUser = isOperator && call.agentId !== '';
    checks.require(!needsUser || call.userId !== '', 'user_id', 'is required with an agent id');
    checks.done();
    return describeUse(await findSubject(call, deps), deps);
  };
}

async function describeUse(subject: ModelSubject, deps: GetModelDeps): Promise<ModelInUse> {
  const [settings = []] = await deps.read([subject]);
  const { level, models } = decidingSetting(settings);
  const choices = candidatesOf(models, deps).map(({ model, isConfigured, obstacle = '' }) => ({
    model,
    problem: isConfigured ? obstacle : notConfigured,
  }));
  const inUse = currentOf(models, deps);
  // Two providers may have models with the same id.
  const current = choices.find(({ model }) => nameOf(model) === nameOf(inUse)) ?? choices[0];
  if (!current) throw new AppError('INTERNAL', 'unreachable: the deciding setting has no models');
  const chosen = settings.filter((setting) => setting.models.length > 0);
  return { current, choices, level, settings: chosen };
}

/** Throws NOT_FOUND for users and agents that the requester may not see, as if they did not exist. */
async function findSubject(
  { requester, userId, agentId, role = 'user' }: GetModelCall,
  deps: GetModelDeps,
): Promise<ModelSubject> {
  if (requester.kind === 'operator' && userId === '') return { ...noUser, role };
  const spender = await findSpender(requester, { userId, agentId }, deps);
  const agent = spender.agentId === undefined ? undefined : await deps.agents.find(spender.agentId);
  if (agent) return subjectOf(agent);
  const isSubuser = spender.userId !== undefined && spender.userId !== spender.ownerUserId;
  return {
    userId: spender.userId ?? spender.ownerUserId,
    ownerUserId: isSubuser ? spender.ownerUserId : undefined,
    role,
  };
}

/** A user without choices, so that only the role and the instance decide. */
const noUser = { userId: '', ownerUserId: undefined };
