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
    const [{ user }, agent] = await Promise.all([
      opened.identity.getUser({ userId }),
      // A new user has no agent yet.
      opened.mostRecentAgent().catch(() => undefined),
    ]);
    const { name, context } = opened.context;
    return recordView({ ...user, context: name, agentId: agent?.id ?? '' }, [
      ['name', user?.name ?? ''],
      ['nametag', user?.nametag ?? ''],
      ['id', userId],
      ['context', name],
      ['agent', agent ? agentTitle(agent) : 'none yet'],
      ['signed in until', toTime(parseTime(context.tokens?.refreshExpiresAt))],
    ]);
  },
});

function parseTime(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
