import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { ModelRequest } from '../../models/providers/model-provider';
import { gate, never } from '../../test-support/hanging-provider';
import { WindowedModel } from '../../test-support/model/windowed-model';
import { serveReplica, startTestRuntime } from '../../test-support/test-runtime';
import { stopTurnOf } from '../../test-support/turns/stop-turn-of';

const window = 16_000;
const runtime = useFixture(() => startTestRuntime({ window }));

/** A model whose first two summaries fail, and which hangs on the third. */
class UnableToSummarise extends WindowedModel {
  readonly hanging = gate();
  #attempts = 0;

  override async answer(request: ModelRequest) {
    if (!request.systemPrompt.includes('## Facts')) return super.answer(request);
    this.#attempts += 1;
    if (this.#attempts <= 2) throw new Error('broken');
    this.hanging.open();
    return never;
  }
}

it('a stop while the last attempt at a summary is under way leaves the context as it is', async () => {
  const model = new UnableToSummarise({ window });
  const { stopServing } = await serveReplica(runtime, model);
  const agent = await runtime.newAgent();
  const isIdle = async () => (await runtime.inbox.countByAgent([agent])).size === 0;
  for (const at of [1, 2, 3, 4]) {
    await runtime.say(agent, `${at} ${'z'.repeat(12_000)}`);
    await eventually(isIdle);
  }
  await runtime.say(agent, `5 ${'z'.repeat(12_000)}`);
  await model.hanging.opened;
  await stopTurnOf(runtime, agent);
  await eventually(isIdle);
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 100 });
  expect(records.map(({ kind }) => kind)).not.toContain('compaction');
  expect(records.at(-1)).toMatchObject({ text: 'Stopped.' });
  await stopServing();
});
