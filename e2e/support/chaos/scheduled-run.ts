import { createId } from '@daycare/api/create-id';
import { OverlapPolicy, RunOutcome } from '@daycare/contracts/agent-runtime';
import type { Person } from '../people/people';
import { untilAnswered } from '../stack/until-answered';
import { historiesOf, meetAda, type AgentChange, type Histories } from './agent-changes';
import type { TrappedRuntime } from './trapped-runtime';

const desk = 'cli:me#desk';

/** A cron run. Its kill points come after the run's answer, because other changes cover the claim and the turn. */
export const scheduledRun: AgentChange = {
  title: 'a cron run ends once, and its result appears in the conversation once',
  // These end the run, put its result into the inbox of the conversation's agent, and remove its prompt from the inbox.
  writes: ['findAndModify crons', 'insert inbox (2)', 'update inbox'],
  // The claim of the tick, and the turns.
  coveredElsewhere: [
    ...['update crons', 'update crons (2)', 'update crons (3)', 'update crons (4)'],
    ...['insert inbox', 'insert history', 'insert history (2)', 'insert history (3)'],
    'update inbox (2)',
  ],
  async prepare(worker) {
    const { stack } = worker;
    const { ada, before } = await meetAda(worker, ['desk']);
    const cron = { name: 'tea', schedule: '0 0 1 1 *', prompt: 'Make tea', timeZone: '' };
    const options = { requestId: createId(), agentId: '', once: false, quiet: false };
    const overlap = OverlapPolicy.UNSPECIFIED;
    const { cron: created } = await stack.runtime.createCron(
      { ...cron, ...options, overlap },
      ada.as,
    );
    const cronId = created!.id;
    return {
      call: async (requestId) => {
        await stack.runtime.runCron({ requestId, cronId }, ada.as);
        return {};
      },
      histories: () => stateOf(worker, ada, cronId),
      outcome: {
        ...before,
        [desk]: [...before[desk]!, `result:cron:${cronId} (silent): tea said: Make tea`],
        [`cron:${cronId}`]: ['start', `cron:${cronId}: Make tea`, 'agent: tea said: Make tea'],
        runs: [RunOutcome.ANSWERED],
      },
    };
  },
};

/** Returns the histories, and the outcomes of the cron's runs. */
async function stateOf({ stack }: TrappedRuntime, ada: Person, cronId: string): Promise<Histories> {
  const { cron } = await untilAnswered(() => stack.runtime.getCron({ cronId }, ada.as));
  const runs = (cron?.recentRuns ?? []).map(({ outcome }) => outcome);
  return { ...(await historiesOf(stack.runtime, ada)), runs };
}
