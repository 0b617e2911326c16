import { beforeEach, expect, it } from '@jest/globals';
import type { SkillEntry } from '../../skills';
import { testAgent, testContext } from '../../test-support/test-agent';
import { RecentSkills } from './recent-skills';

let stored: SkillEntry[];
let reads: number;
let skills: RecentSkills;
beforeEach(() => {
  [stored, reads] = [[], 0];
  skills = new RecentSkills({ list: async () => (reads++, [...stored]) });
});

const agent = testAgent();
const cook: SkillEntry = { name: 'cook', description: 'How to cook' };

it('a user’s skills are read only once for several prompts in quick succession', async () => {
  const sibling = testAgent({ id: 'agent2' });
  await Promise.all([skills.list(agent), skills.list(sibling)]);
  await skills.list(agent);
  expect(reads).toBe(1);
  await skills.list(testAgent({ userId: 'user2' }));
  expect(reads).toBe(2);
});

it.each(['succeeds', 'fails'])(
  'a skill written by a tool that %s is in the next prompt',
  async (how) => {
    await skills.list(agent);
    const answer = async () => {
      stored.push(cook);
      if (how === 'fails') throw new Error('half-way');
      return { resultJson: '{}', isError: false, truncated: false };
    };
    const tools = skills.watch({ offer: async () => [], isReadOnly: () => false, answer });
    await tools.answer('exec', '{}', testContext(agent)).catch(() => undefined);
    expect(await skills.list(agent)).toEqual([cook]);
  },
);

it('a list of skills that could not be read is read again for the next prompt', async () => {
  let isBroken = true;
  const broken = new RecentSkills({
    list: async () => {
      if (isBroken) throw new Error('no such disk');
      return [cook];
    },
  });
  await expect(broken.list(agent)).rejects.toThrow('no such disk');
  isBroken = false;
  expect(await broken.list(agent)).toEqual([cook]);
});
