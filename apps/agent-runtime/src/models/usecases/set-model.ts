import { AppError, FieldChecks } from '@daycare/api';
import {
  agentDead,
  findVisibleAgent,
  keyOf,
  type AgentReader,
  type AgentRole,
  type AgentWriter,
} from '../../agents';
import { type Requester, findSpender, type FindSpenderDeps } from '../../spending';
import { nameOf, parseModelName, type ModelName } from '../catalogue/model-entry';
import { instanceKey, roleKey, userKey } from '../domain/model-levels';
import { maxModelsPerChoice } from '../models-config';
import type { Providers } from '../providers/vendors/provider-registry';
import type { ChoiceStore } from '../store/choice-store';
import { maxChoiceAgeMs, type KnownChoices } from './known-choices';

export interface SetModelCall {
  readonly requester: Requester;
  readonly requestId: string;
  /** A subuser, or empty for the requester. */
  readonly userId: string;
  readonly agentId: string;
  /** Only for operators; undefined to choose for the instance. */
  readonly role: AgentRole | undefined;
  /** Names as `provider/id`; empty to remove the choice. */
  readonly models: readonly string[];
}

export interface SetModelDeps extends FindSpenderDeps {
  readonly agents: Pick<AgentReader, 'find'> & Pick<AgentWriter, 'configure'>;
  readonly choices: Pick<ChoiceStore, 'set'>;
  readonly known: Pick<KnownChoices, 'refresh' | 'set'>;
  readonly providers: Providers;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly now: () => Date;
}

/** Chooses models. Once the call has returned, every new turn on any replica uses them. */
export function makeSetModel(deps: SetModelDeps) {
  return async (call: SetModelCall): Promise<void> => {
    await deps.known.refresh();
    const models = checkCall(call, deps.providers);
    if (call.agentId !== '') return chooseForAgent(call, models, deps);
    const key = await findKey(call, deps);
    const { requestId } = call;
    const chosen = await deps.choices.set({ key, models, requestId });
    deps.known.set(key, chosen);
    // Until this time has passed, other replicas may not know of the choice.
    await deps.wait(maxChoiceAgeMs);
  };
}

async function chooseForAgent(
  { requester, requestId, userId, agentId }: SetModelCall,
  models: readonly ModelName[],
  deps: SetModelDeps,
): Promise<void> {
  const spender = await findSpender(requester, { userId, agentId }, deps);
  const owner = spender.userId ?? spender.ownerUserId;
  const agent = await findVisibleAgent(deps.agents, owner, agentId);
  const target = { userId: agent.userId, key: keyOf(agent.descriptor) };
  const request = { requestId: `${owner}/${requestId}`, now: deps.now() };
  if (!(await deps.agents.configure(target, { models }, request))) throw agentDead();
}

async function findKey(call: SetModelCall, deps: SetModelDeps): Promise<string> {
  const { requester, userId, role } = call;
  if (requester.kind === 'operator') return role === undefined ? instanceKey : roleKey(role);
  const spender = await findSpender(requester, { userId, agentId: '' }, deps);
  return userKey(spender.userId ?? spender.ownerUserId);
}

function checkCall(call: SetModelCall, providers: Providers): readonly ModelName[] {
  const { requester, requestId, userId, agentId, role, models } = call;
  const isOperator = requester.kind === 'operator';
  const checks = new FieldChecks().requestId(requestId);
  if (userId !== '') checks.id(userId, 'user_id');
  if (agentId !== '') checks.id(agentId, 'agent_id');
  checks.require(!isOperator || userId === '', 'user_id', 'must be empty for operators');
  checks.require(!isOperator || agentId === '', 'agent_id', 'must be empty for operators');
  checks.require(isOperator || role === undefined, 'role', 'is for operators only');
  checks.require(
    models.length <= maxModelsPerChoice,
    'models',
    `must have at most ${maxModelsPerChoice} elements`,
  );
  const names = models.slice(0, maxModelsPerChoice).map((text, index) => {
    const name = parseModelName(text);
    checks.require(name !== undefined, `models[${index}]`, 'must be provider/model');
    checks.require(models.indexOf(text) === index, `models[${index}]`, 'is listed twice');
    return name ?? { provider: '', id: '' };
  });
  checks.done();
  for (const name of names) requireConfigured(name, providers);
  return names;
}

function requireConfigured(name: ModelName, providers: Providers): void {
  const isUsable = name.provider === 'local' ? name.id === 'echo' : providers.has(name.provider);
  if (isUsable) return;
  throw new AppError(
    'FAILED_PRECONDITION',
    `${nameOf(name)} cannot be used here: the configured providers are ${[...providers.keys()].join(', ')}`,
  );
}
