import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../agents/domain/agent';
import { checkPath } from '../../homes/usecases/check-path';
import { HomeFiles } from '../../homes/disk/home-files';
import { testAgent } from '../../test-support/test-agent';
import { shippedSkills } from '../domain/shipped-skills';
import { makeSkillCatalog } from './skill-catalog';
import { readSkillText } from '../domain/skill-text';
import { makeUserSkills, type SkillHomes } from './user-skills';

let root: string;
let usersDir: string;
let agent: Agent;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'daycare-skills-'));
  usersDir = join(root, 'users');
  await mkdir(usersDir);
  await writeFile(join(root, 'secret.md'), 'secret');
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  agent = testAgent({ userId: createId() });
  folder = join(usersDir, agent.userId, 'skills');
  await mkdir(folder, { recursive: true });
});

/** Homes in which the user has written every file. */
function homesIn(dir: string): SkillHomes {
  const files = new HomeFiles(dir);
  return {
    list: (userId, path, options) => files.list(userId, checkPath(path), options),
    read: (userId, path, ...rest) => files.read(userId, checkPath(path), ...rest),
    provenance: { rowsOf: async () => new Map(), approve: async () => false },
  };
}

const catalog = () => makeSkillCatalog(makeUserSkills(homesIn(usersDir)));
const names = async (who = agent) => (await catalog().list(who)).map(({ name }) => name);
const shippedNames = shippedSkills.map(({ name }) => name);
const skill = (description: string, body = 'Do it.'): string =>
  `---\nname: any\ndescription: ${description}\n---\n\n${body}\n`;
const missing = { code: 'NOT_FOUND', message: 'Skill not found' };

it('listing skills reads only files that are new or have changed since they were last listed', async () => {
  let reads = 0;
  const homes = homesIn(usersDir);
  const read: SkillHomes['read'] = (...args) => {
    reads += 1;
    return homes.read(...args);
  };
  const later = () => Date.now() + 60_000;
  const skills = makeSkillCatalog(makeUserSkills({ ...homes, read }, later));
  await writeFile(join(folder, 'one.md'), skill('First'));
  await writeFile(join(folder, 'two.md'), skill('Second'));
  await skills.list(agent);
  await skills.list(agent);
  expect(reads).toBe(2);
  await writeFile(join(folder, 'two.md'), skill('Changed'));
  expect(await skills.list(agent)).toContainEqual(
    expect.objectContaining({ name: 'two', description: 'Changed' }),
  );
  expect(reads).toBe(3);
});

describe('shipped skills', () => {
  it.each(shippedSkills)(
    'the shipped skill $name has a description and a body',
    ({ name, file }) => {
      const { description, body } = readSkillText(file);
      expect(description.length).toBeGreaterThan(50);
      expect(body).toMatch(/^# /);
      expect(file).toContain(`name: ${name}\n`);
      // A single call to skill_read can return the whole body.
      expect(JSON.stringify(body).length).toBeLessThan(7_500);
    },
  );

  it('agents of top-level users see all shipped skills', async () => {
    expect(await names()).toEqual(['daycare-friendship', 'daycare-subusers']);
    await expect(catalog().read(agent, 'daycare-friendship')).resolves.toContain('friend_add');
  });

  it('a subuser’s agents cannot read the friendship skill, not even from a file with the same name', async () => {
    const subuserAgent = { ...agent, ownerUserId: 'owner1' };
    await writeFile(join(folder, 'daycare-friendship.md'), skill('forged'));
    expect(await names(subuserAgent)).toEqual(['daycare-subusers']);
    await expect(catalog().read(subuserAgent, 'daycare-friendship')).rejects.toMatchObject(missing);
  });
});

describe("a user's own skills", () => {
  it("lists a user's skills after the shipped ones, sorted by name, and only for that user's agents", async () => {
    await writeFile(join(folder, 'mend.md'), skill('How to mend'));
    await writeFile(join(folder, 'cook.md'), skill('How to cook', 'Use heat.'));
    expect((await catalog().list(agent)).slice(shippedNames.length)).toEqual([
      { name: 'cook', description: 'How to cook', writtenBy: 'own' },
      { name: 'mend', description: 'How to mend', writtenBy: 'own' },
    ]);
    expect(await catalog().read(agent, 'cook')).toBe('Use heat.');
    const stranger = testAgent({ userId: createId() });
    expect(await names(stranger)).toEqual(shippedNames);
    await expect(catalog().read(stranger, 'cook')).rejects.toMatchObject(missing);
  });

  it("a user's skill never replaces a shipped one", async () => {
    await writeFile(join(folder, 'daycare-subusers.md'), skill('forged', 'forged'));
    const listed = await catalog().list(agent);
    expect(listed.map(({ name }) => name)).toEqual(shippedNames);
    expect(JSON.stringify(listed)).not.toContain('forged');
    expect(await catalog().read(agent, 'daycare-subusers')).not.toContain('forged');
  });

  it('lists a skill with an empty description if its front matter is broken', async () => {
    await writeFile(join(folder, 'broken.md'), '---\ndescription: no end');
    expect((await catalog().list(agent)).at(-1)).toEqual({
      name: 'broken',
      description: '',
      writtenBy: 'own',
    });
  });

  it('lists at most 100 skills per user', async () => {
    const numbers = Array.from({ length: 120 }, (_, index) => 100 + index);
    await Promise.all(numbers.map((n) => writeFile(join(folder, `s${n}.md`), 'text')));
    const own = (await names()).slice(shippedNames.length);
    expect(own).toEqual(numbers.slice(0, 100).map((number) => `s${number}`));
  });

  it.each([
    ['users have no directories', undefined],
    ['the users directory does not exist', homesIn('/nowhere/at/all')],
  ])('a user has no skills of its own when %s', async (_, homes) => {
    const without = makeSkillCatalog(makeUserSkills(homes));
    expect((await without.list(agent)).map(({ name }) => name)).toEqual(shippedNames);
    await expect(without.read(agent, 'cook')).rejects.toMatchObject(missing);
  });
});

describe('files that are not skills', () => {
  /** Asserts that a skill is neither listed nor readable. */
  async function expectHidden(name: string): Promise<void> {
    expect(await names()).toEqual(shippedNames);
    await expect(catalog().read(agent, name)).rejects.toMatchObject(missing);
  }

  const invalidNames = [
    '../secret',
    '../../../secret',
    '..',
    '.',
    '',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'secret\0',
    'secret.md',
    'Secret',
    '-secret',
    'se cret',
    'sécret',
    'a'.repeat(65),
    'a'.repeat(100_000),
    'constructor.prototype',
  ];
  it.each(invalidNames.map((name) => [name.slice(0, 70), name] as const))(
    'no skill is found under the name %j',
    async (_, name) => {
      await writeFile(join(usersDir, agent.userId, 'secret.md'), 'secret');
      await expectHidden(name);
    },
  );

  it('hides a symbolic link to a file outside the skills folder', async () => {
    await symlink(join(root, 'secret.md'), join(folder, 'link.md'));
    await expectHidden('link');
  });

  it('hides a symbolic link to another of the user’s files', async () => {
    await writeFile(join(usersDir, agent.userId, 'other.md'), 'other');
    await symlink('../other.md', join(folder, 'link.md'));
    await expectHidden('link');
  });

  it('hides dangling and circular symbolic links', async () => {
    await symlink(join(root, 'nothing.md'), join(folder, 'link.md'));
    await symlink('loop.md', join(folder, 'loop.md'));
    await expectHidden('link');
    await expectHidden('loop');
  });

  it('the skill catalog does not follow a symbolic link in place of the skills folder', async () => {
    await rm(folder, { recursive: true });
    await symlink(root, folder);
    await expectHidden('secret');
  });

  it("the skill catalog does not follow a symbolic link in place of the user's directory", async () => {
    const other = join(root, createId());
    await mkdir(join(other, 'skills'), { recursive: true });
    await writeFile(join(other, 'skills', 'secret.md'), 'secret');
    await rm(join(usersDir, agent.userId), { recursive: true });
    await symlink(other, join(usersDir, agent.userId));
    await expectHidden('secret');
  });

  it('finds no skills for a user id that contains a path', async () => {
    agent = { ...agent, userId: '../users' };
    await expectHidden('secret');
  });

  it('hides a directory that is named like a skill file', async () => {
    await mkdir(join(folder, 'dir.md'));
    await expectHidden('dir');
  });

  it('hides a named pipe and does not block on it', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    await expectHidden('pipe');
  });

  it('hides a skill file larger than 64 KiB', async () => {
    await writeFile(join(folder, 'fits.md'), 'x'.repeat(65_536));
    expect(await catalog().read(agent, 'fits')).toHaveLength(65_536);
    await rm(join(folder, 'fits.md'));
    await writeFile(join(folder, 'long.md'), 'x'.repeat(65_537));
    await expectHidden('long');
  });

  it('ignores a file in place of the skills folder', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'text');
    await expectHidden('skills');
  });
});

describe('the users directory', () => {
  it('the users directory may itself be a symbolic link', async () => {
    await writeFile(join(folder, 'cook.md'), skill('How to cook'));
    const link = join(root, `link-${createId()}`);
    await symlink(usersDir, link);
    const linked = makeSkillCatalog(makeUserSkills(homesIn(link)));
    expect(await linked.read(agent, 'cook')).toBe('Do it.');
  });
});
