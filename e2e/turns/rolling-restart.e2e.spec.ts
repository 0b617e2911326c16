import { afterAll, expect, it } from '@jest/globals';
import { conversationOf, eventually, ModelServer, openAiEvents } from '@daycare/testing';
import { whenShared } from '../support/chaos/shard-holders';
import { historyOf, post, summaryOf } from '../support/people/history';
import { soloAgentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

const replicas = [0, 1, 2];
/** Each person has a turn running while each replica restarts. */
const peopleCount = 200;
/** More than a busy machine needs, so that nothing is abandoned because it is slow. */
const patientMs = 120_000;

let server: ModelServer;
/** Answers wait for this promise. */
let answering = Promise.resolve();
const asked: string[] = [];

const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => {
    const last = JSON.stringify(conversationOf(body).at(-1));
    const text = /turn-\d+-\d+/.exec(last)?.[0] ?? 'none';
    asked.push(text);
    const [first = '', ...rest] = openAiEvents({ text: ['done ', text] });
    return { steps: [first, { until: answering }, ...rest] };
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
    await whenShared(stack, replicas);
    const all = await people.newPeople(peopleCount);
    const agentIds = new Map<number, string>();
    for (const replica of replicas) {
      let answer: () => void = () => undefined;
      answering = new Promise((resolve) => (answer = resolve));
      const runtime = runtimes[(replica + 1) % replicas.length]!;
      const before = asked.length;
      await Promise.all(
        all.map(async (person, index) => {
          const text = `turn-${replica}-${index}`;
          const { agentId } = await runtime.postMessage(post(text), person.as);
          agentIds.set(index, agentId);
        }),
      );
      await eventually(() => asked.length === before + all.length, { timeoutMs: patientMs });
      const service = stack.service('agent-runtime', replica);
      // The test would kill the process only after its own shutdown deadline has passed.
      const exited = service.stop(2 * patientMs);
      // Once the replica is leaving, it has handed over its idle shards and is waiting for its turns to end.
      await eventually(async () => (await isLeaving(replica)) === true, { timeoutMs: patientMs });
      answer();
      expect(await exited).toMatchObject({ code: 0 });
      await service.restart();
      await whenShared(stack, replicas);
    }
    const expected = replicas.flatMap((replica) =>
      all.map((_, index) => `turn-${replica}-${index}`),
    );
    expect([...asked].sort()).toEqual([...expected].sort());
    expect(server.hangUps).toBe(0);
    await Promise.all(
      all.map(async (person, index) => {
        const lines = await eventually(
          async () => {
            const found = await historyOf(stack.runtime, person, agentIds.get(index)!);
            const answers = found.map(summaryOf).filter((line) => line.startsWith('agent: '));
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
  const found = await leases.findOne({});
  return found?.replicas.find(({ id }) => id.includes(`-${pid}-`))?.isLeaving;
}
