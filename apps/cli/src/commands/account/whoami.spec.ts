import { AppError } from '@daycare/api';
import { expect, it } from '@jest/globals';
import { CallFailure } from '../../failure/call-failure';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import type { View } from '../../output/view';
import { noColours } from '../../terminal/colours';
import { whoamiCommand } from './whoami';

/** Runs the command as Ada, whose agent cannot be read because of this failure. */
async function runFailing(failure: Error): Promise<View> {
  const session = {
    context: { name: 'local', context: {} },
    userId: async () => 'u1',
    identity: { getUser: async () => ({ user: { id: 'u1', name: 'Ada', nametag: 'swiftfox42' } }) },
    mostRecentAgent: () => Promise.reject(failure),
  };
  return (await whoamiCommand.run({ session: async () => session } as never)) as View;
}

const render = (view: View): string => view.render({ colours: noColours } as never);

it('whoami says that a new user has no agent yet', async () => {
  const view = await runFailing(
    new Failure(exitCodes.notFound, 'You have no conversation with an agent yet.'),
  );
  expect(render(view)).toMatch(/^agent: +none yet$/m);
  expect(view.data).toMatchObject({ agentId: '', agentError: undefined });
});

it('whoami shows the user, and says so when agent-runtime cannot be reached', async () => {
  const outage = new AppError('UNAVAILABLE', 'connection refused');
  const view = await runFailing(new CallFailure('agent-runtime', '[::1]:1', 'local', outage));
  expect(render(view)).toMatch(/^name: +Ada$/m);
  expect(render(view)).toMatch(/^agent: +agent-runtime at \[::1\]:1 is not responding\.$/m);
  expect(view.data).toMatchObject({
    name: 'Ada',
    agentId: '',
    agentError: 'agent-runtime at [::1]:1 is not responding.',
  });
});

it('whoami fails if an unexpected error is thrown while the agent is read', async () => {
  await expect(runFailing(new TypeError('a defect'))).rejects.toThrow('a defect');
});
