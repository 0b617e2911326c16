import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import type { Agent, EndedTurn } from '../../../agents';
import { FileStore } from '../../../files/store/file-store';
import type { Run } from '../../domain/run';
import type { Cron } from '../../domain/schedule';
import { CronRuns } from '../../store/cron-runs';
import { CronStore, type FiringCron } from '../../store/cron-store';
import { InboxStore } from '../../../messaging/store/inbox-store';
import {
  cronCall,
  startTestSchedules,
  type TestScheduleDeps,
} from '../../../test-support/test-schedules';

const schedules = useFixture(() => startTestSchedules());
const minuteMs = 60_000;

const newCron = (overrides: object = {}, userId = createId()): Promise<Cron> =>
  schedules.createCron(cronCall(userId, overrides));
const pass = (minutes: number): void => {
  schedules.clock.now = new Date(schedules.clock.now.getTime() + minutes * minuteMs);
};
const stored = async ({ userId, id }: Cron): Promise<Cron> =>
  (await schedules.crons.find(userId, id)) as Cron;
const outcomes = async (cron: Cron) => (await stored(cron)).runs.map(({ outcome }) => outcome);
const received = async ({ agentId }: Pick<Cron, 'agentId'>): Promise<string[]> =>
  (await schedules.receivedBy({ id: agentId })).map(({ messageId }) => messageId);
const openIds = async (cron: Cron): Promise<string[]> =>
  (await stored(cron)).runs.flatMap(({ id, outcome }) => (outcome === 'running' ? id : []));

async function find({ id }: Cron): Promise<FiringCron | undefined> {
  for await (const cron of schedules.crons.findOpenTicks([0], schedules.now()))
    if (cron.id === id) return cron;
  return undefined;
}

async function fire(cron: Cron, broken: Partial<TestScheduleDeps> = {}): Promise<void> {
  const found = await find(cron);
  if (found) await schedules.replica(broken).fireCron(found, () => true);
}

/** Makes a step fail, before or after it takes effect. */
const dying =
  <A extends unknown[], R>(when: 'before' | 'after', act: (...args: A) => Promise<R>) =>
  async (...args: A): Promise<R> => {
    if (when === 'after') await act(...args);
    throw new Error('killed');
  };

/** Returns the dependencies of a replica that dies at this step of a tick. */
function dyingAt(step: 'decide' | 'drop' | 'send', when: 'before' | 'after') {
  const { deps, crons, inbox } = schedules;
  const runs = Object.assign(new CronRuns(schedules.mongo.db), {
    save: dying(when, crons.runs.save.bind(crons.runs)),
  });
  switch (step) {
    case 'decide':
      return { crons: Object.assign(new CronStore(schedules.mongo.db), { runs }) };
    case 'drop': {
      const settle = dying(when, inbox.settle.bind(inbox));
      return { inbox: Object.assign(new InboxStore(schedules.mongo.db), { settle }) };
    }
    case 'send':
      return { deliverToAgent: dying(when, deps.deliverToAgent) };
  }
}

const kills = (['decide', 'drop', 'send'] as const).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

describe('an overlapping tick', () => {
  it.each(kills)(
    'an overlapping tick replaces the previous run once, even if the replica is killed right $when the step "$step"',
    async ({ step, when }) => {
      const cron = await newCron({ overlap: 'replace' });
      pass(1);
      await fire(cron);
      pass(1);
      await expect(fire(cron, dyingAt(step, when))).rejects.toThrow('killed');
      await Promise.all([fire(cron), fire(cron)]);
      expect(await outcomes(cron)).toEqual(['replaced', 'running']);
      expect(await received(cron)).toEqual(await openIds(cron));
      expect(await find(cron)).toBeUndefined();
    },
  );

  it.each(kills.filter(({ step }) => step === 'decide'))(
    'an overlapping tick is decided once, even if the replica is killed right $when it stores the decision and the previous run then ends',
    async ({ when }) => {
      const cron = await newCron();
      pass(1);
      await fire(cron);
      const [first] = await openIds(cron);
      pass(1);
      await expect(fire(cron, dyingAt('decide', when))).rejects.toThrow('killed');
      await endRun(cron, { messageIds: [first!] });
      await schedules.inbox.settle(agentOf(cron), [first!], schedules.now());
      await fire(cron);
      // A stored decision stands; otherwise the tick is decided now.
      const second = when === 'after' ? 'skipped' : 'running';
      expect(await outcomes(cron)).toEqual(['answered', second]);
      expect(await received(cron)).toEqual(await openIds(cron));
    },
  );

  it('an overlapping tick is decided once, even if many replicas decide concurrently', async () => {
    for (const overlap of ['skip', 'queue', 'replace']) {
      const cron = await newCron({ overlap });
      for (let tick = 0; tick < 3; tick += 1) {
        pass(1);
        const found = (await find(cron))!;
        const replicas = Array.from({ length: 6 }, () => schedules.replica());
        await Promise.all(replicas.map(({ fireCron }) => fireCron(found, () => true)));
      }
      expect(await received(cron)).toEqual(await openIds(cron));
      expect([overlap, ...(await outcomes(cron))]).toEqual([overlap, ...expected[overlap]!]);
    }
  });
  const expected: Readonly<Record<string, readonly string[]>> = {
    skip: ['running', 'skipped', 'skipped'],
    queue: ['running', 'running', 'running'],
    replace: ['replaced', 'replaced', 'running'],
  };

  it('an overlapping tick starts a run if the previous run’s prompt was dropped from the inbox', async () => {
    const cron = await newCron();
    pass(1);
    await fire(cron);
    await schedules.inbox.settle(agentOf(cron), await openIds(cron), schedules.now());
    pass(1);
    await fire(cron);
    expect(await outcomes(cron)).toEqual(['failed', 'running']);
  });
});

const agentOf = ({ agentId, userId }: Cron): Pick<Agent, 'id' | 'userId' | 'foreground'> => ({
  id: agentId,
  userId,
  foreground: false,
});

/** Ends one of the cron's turns. */
async function endRun(
  cron: Cron,
  turn: Partial<EndedTurn> = {},
  broken: Partial<TestScheduleDeps> = {},
): Promise<void> {
  await schedules.endRun(broken)({
    agent: agentOf(cron),
    messageIds: turn.messageIds ?? [],
    outcome: 'answered',
    reason: undefined,
    answer: 'Done',
    scheduled: { origin: `cron:${cron.id}`, trust: 'own', readPrivate: true, hops: 0 },
    ...turn,
  });
}

describe("a run's result", () => {
  const texts = async (agent: Agent) =>
    (await schedules.receivedBy(agent)).map((item) => 'text' in item && item.text);
  const breaks: readonly (readonly [string, () => Partial<TestScheduleDeps>])[] = (
    ['before', 'after'] as const
  ).flatMap((when) => [
    [`${when} the end is recorded`, () => ({ crons: endingAt(when) })],
    [
      `${when} the result is delivered`,
      () => ({ deliverToForeground: dying(when, schedules.deps.deliverToForeground) }),
    ],
  ]);
  function endingAt(when: 'before' | 'after'): CronStore {
    const { runs } = schedules.crons;
    const broken = { end: dying(when, runs.end.bind(runs)) };
    return Object.assign(new CronStore(schedules.mongo.db), { runs: broken });
  }

  it.each(breaks)(
    'a run’s result is delivered once when the replica is killed right %s',
    async (_, broken) => {
      const person = await schedules.newAgent();
      const cron = await newCron({ name: 'tea' }, person.userId);
      pass(1);
      await fire(cron);
      const messageIds = await openIds(cron);
      await expect(endRun(cron, { messageIds }, broken())).rejects.toThrow('killed');
      // The person has talked with another agent since.
      const later = await schedules.newAgent(undefined, person.userId);
      await Promise.all([endRun(cron, { messageIds }), endRun(cron, { messageIds })]);
      expect([...(await texts(person)), ...(await texts(later))]).toEqual(['Done']);
      expect((await stored(cron)).runs).toMatchObject([{ outcome: 'answered' }]);
    },
  );

  it('a run’s result includes the run’s files that the user has not deleted', async () => {
    const person = await schedules.newAgent();
    const cron = await newCron({ name: 'tea' }, person.userId);
    const files = new FileStore(schedules.mongo.db);
    const attach = async (name: string) => {
      const draft = { id: createId(), userId: cron.userId, name, claimedType: 'text/plain' };
      const more = { promisedSha256: '', requestKey: createId(), createdAt: schedules.now() };
      const { file } = await files.write(
        { ...draft, ...more },
        Readable.from([Buffer.from('Green tea')]),
      );
      return file;
    };
    const [kept, deleted] = [await attach('kept.txt'), await attach('deleted.txt')];
    const deletion = { deletedByRequest: 'r1', deletedAt: schedules.now() };
    await files.delete(cron.userId, deleted.id, deletion);
    pass(1);
    await fire(cron);
    const turn = { origin: `cron:${cron.id}`, trust: 'own', readPrivate: true, hops: 0 } as const;
    const scheduled = { ...turn, files: [kept, deleted] };
    await endRun(cron, { messageIds: await openIds(cron), scheduled });
    const [result] = await schedules.receivedBy(person);
    expect(result).toMatchObject({ text: 'Done', files: [{ id: kept.id, name: 'kept.txt' }] });
    expect(result).not.toHaveProperty('files.0.text');
  });

  it('a run’s result is not delivered if the run was replaced', async () => {
    const person = await schedules.newAgent();
    const cron = await newCron({ overlap: 'replace' }, person.userId);
    pass(1);
    await fire(cron);
    const messageIds = await openIds(cron);
    pass(1);
    await fire(cron);
    await endRun(cron, { messageIds });
    expect(await texts(person)).toEqual([]);
    expect(await outcomes(cron)).toEqual(['replaced', 'running']);
  });

  it('a run’s result is not delivered if the cron has been deleted', async () => {
    const person = await schedules.newAgent();
    const cron = await newCron({}, person.userId);
    pass(1);
    await fire(cron);
    const messageIds = await openIds(cron);
    await schedules.deleteCron({ userId: cron.userId, cronId: cron.id, requestId: 'r1' });
    await endRun(cron, { messageIds });
    expect(await texts(person)).toEqual([]);
  });

  it('a run’s result is delivered for heartbeats that are not quiet, and the outcome is recorded for each heartbeat', async () => {
    const person = await schedules.newAgent();
    const { userId } = person;
    const add = (title: string, quiet: boolean) =>
      schedules.createHeartbeat({ userId, requestId: createId(), title, prompt: 'Look', quiet });
    await Promise.all([add('Mail', false), add('Plants', false), add('Logs', true)]);
    pass(31);
    for await (const batch of schedules.heartbeats.findOpenBatches([0], schedules.now()))
      if (batch.userId === userId) await schedules.replica().fireHeartbeats(batch, () => true);
    const list = async () =>
      (await schedules.listHeartbeats({ userId, pageSize: 0, pageToken: '' })).heartbeats;
    const runs = (await list()).map(({ lastRun }) => lastRun!);
    expect(runs.map(({ outcome }) => outcome)).toEqual(['running', 'running', 'running']);
    const scheduled = { origin: 'heartbeat', trust: 'own', readPrivate: true, hops: 0 } as const;
    for (const id of new Set(runs.map((run: Pick<Run, 'id'>) => run.id)))
      await schedules.endRun()({
        agent: { id: runs[0]!.agentId, userId, foreground: false },
        messageIds: [id],
        outcome: 'answered',
        reason: undefined,
        answer: 'Two mails',
        scheduled,
      });
    expect((await list()).map(({ lastRun }) => lastRun?.outcome)).toEqual(
      runs.map(() => 'answered'),
    );
    expect(await schedules.receivedBy(person)).toMatchObject([
      { origin: 'result:heartbeat', text: 'Two mails', silent: true, forPerson: true },
    ]);
  });

  it.each([
    ['is delivered', false, ['Sent']],
    ['is not delivered when all heartbeats are quiet', true, []],
  ])(
    'when a tool call made by a heartbeat is approved after its run, the result %s',
    async (_, quiet, expected) => {
      const person = await schedules.newAgent();
      const { userId, id } = person;
      const call = { userId, requestId: createId(), title: 'Mail', prompt: 'Look', quiet };
      const heartbeat = await schedules.createHeartbeat(call);
      const endApprovedCall = async (messageId: string) =>
        schedules.endRun()({
          agent: { id, userId, foreground: false },
          messageIds: [messageId],
          outcome: 'answered',
          reason: undefined,
          answer: 'Sent',
          scheduled: { origin: 'heartbeat', trust: 'own', readPrivate: true, hops: 0 },
        });
      await endApprovedCall('decision1');
      expect(await texts(person)).toEqual(expected);
      await schedules.deleteHeartbeat({ userId, requestId: 'r1', heartbeatId: heartbeat.id });
      await endApprovedCall('decision2');
      expect(await texts(person)).toEqual(expected);
    },
  );
});
