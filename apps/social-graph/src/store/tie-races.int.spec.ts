import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import fc from 'fast-check';
import { decideBlock, decideUnblock } from '../domain/blocking';
import { decideFriendship, type Move } from '../domain/friendship';
import { noticeIdOf } from '../domain/tie/notices';
import { remember } from '../domain/tie/tie-requests';
import { isRefusal, noTie, type Decision, type Side, type Tie } from '../domain/tie/tie';
import { newTie, noticeTo, openTestTies } from '../test-support/test-ties';
import type { StoredTie } from './tie-document';
import type { TieStore } from './tie-store';
import { testPolicy } from '../test-support/test-policy';

const test = useFixture(openTestTies);

const tieCount = 3;
const now = new Date('2026-01-01T00:00:00Z');
const policy = testPolicy();

const commands = {
  add: (move: Move) => decideFriendship('add', move),
  remove: (move: Move) => decideFriendship('remove', move),
  block: decideBlock,
  unblock: decideUnblock,
} satisfies Record<string, (move: Move) => Decision>;

interface Call {
  readonly replica: 0 | 1;
  readonly tie: number;
  readonly me: Side;
  readonly command: keyof typeof commands;
}

interface StoredChange extends Call {
  readonly version: number;
  readonly answer: string;
}

const call = fc.record<Call>({
  replica: fc.constantFrom(0, 1),
  tie: fc.nat(tieCount - 1),
  me: fc.constantFrom('low', 'high'),
  command: fc.constantFrom('add', 'add', 'remove', 'block', 'unblock'),
});
const waves = fc.array(fc.array(call, { minLength: 1, maxLength: 16 }), {
  minLength: 1,
  maxLength: 4,
});

/** Loads, decides and saves, and starts again whenever another writer was faster, as `changeTie` does. */
async function run(
  ties: TieStore,
  fresh: StoredTie,
  { me, command }: Call,
): Promise<Pick<StoredChange, 'version' | 'answer'> | undefined> {
  for (;;) {
    const stored = (await ties.find(fresh.pair.id)) ?? fresh;
    const decision = commands[command]({ tie: stored.tie, me, policy, now });
    if (isRefusal(decision)) return undefined;
    const { tie = stored.tie, answer, notice } = decision;
    const request = { by: me, id: crypto.randomUUID(), command, answer, at: now };
    const next = { ...stored, tie, recent: remember(stored.recent, request) };
    const to = me === 'low' ? 'high' : 'low';
    if (await ties.save(next, notice && noticeTo(to, stored)))
      return { version: stored.version + 1, answer };
  }
}

/** Applies stored changes one after the other. */
function replay(changes: readonly StoredChange[]): {
  tie: Tie;
  answers: string[];
  notices: number[];
} {
  let tie = noTie;
  const [answers, notices]: [string[], number[]] = [[], []];
  for (const { command, me, version } of changes) {
    const decision = commands[command]({ tie, me, policy, now });
    if (isRefusal(decision)) throw new Error(`${command} at ${version} was refused`);
    tie = decision.tie ?? tie;
    answers.push(decision.answer);
    if (decision.notice) notices.push(version);
  }
  return { tie, answers, notices };
}

it('concurrent changes to the same ties by two replicas have the outcome of some sequential order, and store each notice once', async () => {
  const property = fc.asyncProperty(waves, async (plannedWaves) => {
    const replicas = [test.newStores().ties, test.newStores().ties] as const;
    const fresh = Array.from({ length: tieCount }, () => newTie());
    const stored: StoredChange[] = [];
    for (const wave of plannedWaves) {
      const calls = wave.map(async (planned) => {
        const change = await run(replicas[planned.replica], fresh[planned.tie]!, planned);
        if (change) stored.push({ ...planned, ...change });
      });
      await Promise.all(calls);
    }
    for (const [index, { pair }] of fresh.entries()) {
      const changes = stored
        .filter(({ tie }) => tie === index)
        .sort((a, b) => a.version - b.version);
      expect(changes.map(({ version }) => version)).toEqual(
        changes.map((_, position) => position + 1),
      );
      const { tie, answers, notices } = replay(changes);
      expect(changes.map(({ answer }) => answer)).toEqual(answers);
      const found = await replicas[0].find(pair.id);
      expect(found?.tie ?? noTie).toEqual(tie);
      const ids = notices.map((version) => noticeIdOf(pair, version));
      expect((found?.notices ?? []).map(({ id }) => id)).toEqual(ids);
    }
  });
  await fc.assert(property, { numRuns: 40 });
});
