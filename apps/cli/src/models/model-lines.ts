import { AgentRole } from '@daycare/contracts/agent-runtime';
import { CallFailure } from '../failure/call-failure';
import { adviceLines, adviseOnModel } from './model-advice';
import type { Runtime } from './runtime-as';

/**
 * Describes the model in use as lines of text, with the command that replaces it if it is the local one. Empty
 * when the model cannot be determined, which is not an error.
 */
export async function modelLines(
  runtime: Pick<Runtime, 'getModel' | 'listModels'>,
  agentId = '',
  scope?: string,
): Promise<string[]> {
  try {
    const [{ current }, listed] = await Promise.all([
      runtime.getModel({ userId: '', agentId, role: AgentRole.UNSPECIFIED }),
      runtime.listModels({}),
    ]);
    return adviceLines(adviseOnModel(current, listed, scope));
  } catch (error) {
    if (error instanceof CallFailure) return [];
    throw error;
  }
}
