import type { Agent } from '@daycare/contracts/agent-runtime';
import type { Session } from '../../client/session';
import { CallFailure } from '../../failure/call-failure';
import { describeFailure } from '../../failure/describe-failure';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { agentTitle } from '../../names/agents';
import { recordView } from '../../output/record';
import { toTime } from '../../output/words';
import { defineCommand } from '../kit/command';

export const whoamiCommand = defineCommand({
  name: 'whoami',
  description: 'show who you are signed in as, and the agent that commands use by default',
  examples: ['whoami', 'whoami -o json'],
  async run({ session }) {
    const opened = await session();
    const userId = await opened.userId();
    const [{ user }, { agent, agentError }] = await Promise.all([
      opened.identity.getUser({ userId }),
      findAgent(opened),
    ]);
    const { name, context } = opened.context;
    return recordView({ ...user, context: name, agentId: agent?.id ?? '', agentError }, [
      ['name', user?.name ?? ''],
      ['nametag', user?.nametag ?? ''],
      ['id', userId],
      ['context', name],
      ['agent', agent ? agentTitle(agent) : (agentError ?? 'none yet')],
      ['signed in until', toTime(parseTime(context.tokens?.refreshExpiresAt))],
    ]);
  },
});

interface FoundAgent {
  readonly agent?: Agent;
  /** Why the agent is unknown; undefined if it was found, or if the user is new and has no agent yet. */
  readonly agentError?: string;
}

/** Does not fail when the agent cannot be read, because nothing else in the output comes from agent-runtime. */
async function findAgent(session: Session): Promise<FoundAgent> {
  try {
    return { agent: await session.mostRecentAgent() };
  } catch (error) {
    if (!(error instanceof Failure || error instanceof CallFailure)) throw error;
    const { exitCode, message } = describeFailure(error);
    return exitCode === exitCodes.notFound ? {} : { agentError: message };
  }
}

function parseTime(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
