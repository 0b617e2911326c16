import { afterAll, expect, it } from '@jest/globals';
import { conversationOf, eventually, ModelServer, openAiEvents } from '@daycare/testing';
import { whenShardsShared } from '../support/chaos/shard-holders';
import { historyOf, post, summaryOf } from '../support/people/history';
import { soloAgentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

const replicas = [0, 1, 2];
/** Each of these people has a turn running whenever a replica restarts. */
const peopleCount = 200;
/** More than a busy machine needs, so that nothing is abandoned because the machine is slow. */
const patientMs = 120_000;

let server: ModelServer;
/** The model waits for this promise before it completes an answer. */
let answerGate = Promise.resolve();
/** The markers of the messages that the model has been asked to answer. */
const askedMarkers: string[] = [];

const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => {
    const last = JSON.stringify(conversationOf(body).at(-1));
    const text = /turn-\d+-\d+/.exec(last)?.[0] ?? 'none';
    askedMarkers.push(text);
    const [first = '', ...remaining] = openAiEvents({ text: ['done ', text] });
    return { steps: [first, { until: answerGate }, ...remaining] };
  });
  const env = {
    DAYCARE_OPENAI_URL: server.url,
    DAYCARE_MODEL: 'openai/test',
    // A busy machine must not end leases or turns; the speed of a restart is not tested here.
    DAYCARE_LEASE_TTL_MS: '60000',
    DAYCARE_SHUTDOWN_TIMEOUT_MS: String(patientMs),
    DAYCARE_MAX_TURNS: String(peopleCount),
  };
  return { services: soloAgentServices, replicas: { 'agent-runtime': 3 }, env };
});
afterAll(() => server.close());

it(
  'a rolling restart while turns are running repeats no model call and loses none',
  async () => {
    const { people, runtimes } = stack;
    await whenShardsShared(stack, replicas);
    const all = await people.newPeople(peopleCount);
    const agentIds = new Map<number, string>();
    for (const replica of replicas) {
      let openGate: () => void = () => undefined;
      answerGate = new Promise((resolve) => (openGate = resolve));
      const runtime = runtimes[(replica + 1) % replicas.length]!;
      const askedBefore = askedMarkers.length;
      await Promise.all(
        all.map(async (person, index) => {
          const text = `turn-${replica}-${index}`;
          const { agentId } = await runtime.postMessage(post(text), person.as);
          agentIds.set(index, agentId);
        }),
      );
      await eventually(() => askedMarkers.length === askedBefore + all.length, {
        timeoutMs: patientMs,
      });
      const service = stack.service('agent-runtime', replica);
      // Twice the process's own shutdown deadline, so that the process exits on its own before the test would kill it.
      const exited = service.stop(2 * patientMs);
      // When the replica is leaving, it has handed over its idle shards and is waiting for its turns to end.
      await eventually(async () => (await isLeaving(replica)) === true, { timeoutMs: patientMs });
      openGate();
      expect(await exited).toMatchObject({ code: 0 });
      await service.restart();
      await whenShardsShared(stack, replicas);
    }
    const expected = replicas.flatMap((replica) =>
      all.map((_, index) => `turn-${replica}-${index}`),
    );
    expect([...askedMarkers].sort()).toEqual([...expected].sort());
    expect(server.hangUps).toBe(0);
    await Promise.all(
      all.map(async (person, index) => {
        const lines = await eventually(
          async () => {
            const records = await historyOf(stack.runtime, person, agentIds.get(index)!);
            const answers = records.map(summaryOf).filter((line) => line.startsWith('agent: '));
            return answers.length >= replicas.length && answers;
          },
          { timeoutMs: patientMs },
        );
        expect(lines).toEqual(replicas.map((replica) => `agent: done turn-${replica}-${index}`));
      }),
    );
  },
  10 * 60_000,
);

async function isLeaving(replica: number): Promise<boolean | undefined> {
  const { pid } = stack.service('agent-runtime', replica);
  const leases = stack.db('agent-runtime').collection<{
    replicas: { id: string; isLeaving: boolean }[];
  }>('leases');
  const table = await leases.findOne({});
  return table?.replicas.find(({ id }) => id.includes(`-${pid}-`))?.isLeaving;
}
