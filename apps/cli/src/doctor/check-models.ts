import { AgentRole, type Model } from '@daycare/contracts/agent-runtime';
import { fail, ok, warn, type Check } from './check';
import { CallFailure } from '../failure/call-failure';
import { adviseOnModel, localModel } from '../models/model-advice';
import { testTimeoutMs, type Runtime } from '../models/runtime-as';

const changeHint = 'Correct it, or choose another model with "daycare model set".';

/** Makes a minimal call to each model that the user's agents use, and to its fallbacks. */
export async function checkModels(runtime: Runtime): Promise<Check[]> {
  try {
    const [{ current }, listed] = await Promise.all([
      runtime.getModel({ userId: '', agentId: '', role: AgentRole.UNSPECIFIED }),
      runtime.listModels({}),
    ]);
    const { model, remark, command } = adviseOnModel(current, listed);
    if (model === localModel)
      return [warn('model', `${model}: ${remark}`, `Use a real one: ${command}`)];
    const checks: Check[] = [];
    for (const [index, choice] of (current?.choices ?? []).entries())
      checks.push(await checkModel(runtime, choice, index === 0));
    return checks;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return [warn('model', error.message, 'Check the service, and try again.')];
  }
}

/** A broken fallback is a warning only: agents work without it. */
async function checkModel(runtime: Runtime, { name }: Model, isFirst: boolean): Promise<Check> {
  const { problem, latencyMs } = await runtime.testModel(
    { model: name },
    { timeoutMs: testTimeoutMs },
  );
  const title = isFirst ? 'model' : 'fallback model';
  if (problem === '') return ok(title, `${name} answered in ${latencyMs} ms`);
  return isFirst ? fail(title, problem, changeHint) : warn(title, problem, changeHint);
}
