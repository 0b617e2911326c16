import { AgentRole, type Model } from '@daycare/contracts/agent-runtime';
import { fail, ok, warn, type Check } from './check';
import { CallFailure } from '../failure/call-failure';
import { adviseOnModel, localModel } from '../models/model-advice';
import { testTimeoutMs, type Runtime } from '../models/runtime-as';

type ModelRuntime = Pick<Runtime, 'getModel' | 'listModels' | 'testModel'>;

const changeHint = 'Correct it, or choose another model with "daycare model set".';
/** agent-runtime allows ten tests in quick succession, then ten per minute. */
const maxTests = 10;

/** The agents' roles, each with a title for its model. The agents that talk to the person come first. */
const roleTitles: readonly (readonly [AgentRole, string])[] = [
  [AgentRole.USER, 'model'],
  [AgentRole.SUBAGENT, 'subagent model'],
  [AgentRole.CRON, 'cron model'],
  [AgentRole.HEARTBEAT, 'heartbeat model'],
];

interface UsedModel {
  readonly title: string;
  readonly name: string;
  /**
   * Whether this model is the first choice of the agents that talk to the person. If it is broken, the check fails;
   * any other broken model is only a warning.
   */
  readonly isFirst: boolean;
}

/**
 * Makes a minimal call to each model and fallback chosen for one of the roles, up to `maxTests`, except to the scripted
 * model. Models chosen for a single agent or for a subuser are not tested.
 */
export async function checkModels(runtime: ModelRuntime): Promise<Check[]> {
  try {
    const [listed, ...uses] = await Promise.all([
      runtime.listModels({}),
      ...roleTitles.map(([role]) => runtime.getModel({ userId: '', agentId: '', role })),
    ]);
    const { model, remark, command } = adviseOnModel(uses[0]?.current, listed);
    const isLocal = model === localModel;
    const checks = isLocal
      ? [warn('model', `${model}: ${remark}`, `Use a real one: ${command}`)]
      : [];
    const used = usedModels(uses.map(({ current }) => current?.choices ?? []));
    for (const usedModel of used.slice(0, maxTests))
      checks.push(await checkModel(runtime, usedModel));
    return [...checks, ...untestedWarnings(used.slice(maxTests))];
  } catch (error) {
    return [uncheckedWarning('model', error)];
  }
}

function uncheckedWarning(title: string, error: unknown): Check {
  if (!(error instanceof CallFailure)) throw error;
  return warn(title, error.message, 'Check the service, and try again.');
}

/** Lists each model once, with the title of its first use. The scripted model needs no test. */
function usedModels(choices: readonly (readonly Model[])[]): UsedModel[] {
  const used = new Map<string, UsedModel>();
  choices.forEach((models, roleIndex) => {
    const roleTitle = roleTitles[roleIndex]?.[1] ?? '';
    models.forEach(({ name }, index) => {
      const title = index === 0 ? roleTitle : `fallback ${roleTitle}`;
      if (name !== localModel && !used.has(name))
        used.set(name, { title, name, isFirst: roleIndex === 0 && index === 0 });
    });
  });
  return [...used.values()];
}

async function checkModel(
  runtime: ModelRuntime,
  { title, name, isFirst }: UsedModel,
): Promise<Check> {
  try {
    const request = { model: name };
    const { problem, latencyMs } = await runtime.testModel(request, { timeoutMs: testTimeoutMs });
    if (problem === '') return ok(title, `${name} answered in ${latencyMs} ms`);
    return isFirst ? fail(title, problem, changeHint) : warn(title, problem, changeHint);
  } catch (error) {
    return uncheckedWarning(title, error);
  }
}

function untestedWarnings(models: readonly UsedModel[]): Check[] {
  return models.map(({ title, name }) =>
    warn(title, `${name} was not tested`, `Test it with "daycare model test ${name}".`),
  );
}
