import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@paralleldrive/cuid2';
import type { Agent } from '../domain/agent';
import { checkPath } from '../home/check-path';
import { HomeFiles } from '../home/home-files';
import type { UserHomes } from '../home/user-homes';
import { testAgent } from '../test-support/test-agent';
import { shippedSkills } from './shipped-skills';
import { makeSkillCatalog } from './skill-catalog';
import { readSkillText } from './skill-text';
import { makeUserSkills } from './user-skills';

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

function homesIn(dir: string): Pick<UserHomes, 'list' | 'read'> {
  const files = new HomeFiles(dir);
  return {
    list: (userId, path, options) => files.list(userId, checkPath(path), options),
    read: (userId, path, ...rest) => files.read(userId, checkPath(path), ...rest),
  };
}

const catalog = () => makeSkillCatalog(makeUserSkills(homesIn(usersDir)));
const names = async (who = agent) => (await catalog().list(who)).map(({ name }) => name);
const shippedNames = shippedSkills.map(({ name }) => name);
const skill = (description: string, body = 'Do it.'): string =>
  `---\nname: any\ndescription: ${description}\n---\n\n${body}\n`;
const missing = { code: 'NOT_FOUND', message: 'skill not found' };

describe('the skills that come with Daycare', () => {
  it.each(shippedSkills)('have a description and a text: $name', ({ name, file }) => {
    const { description, body } = readSkillText(file);
    expect(description.length).toBeGreaterThan(50);
    expect(body).toMatch(/^# /);
    expect(file).toContain(`name: ${name}\n`);
    // Read in one go.
    expect(JSON.stringify(body).length).toBeLessThan(7_500);
  });

  it('are known to agents of owners', async () => {
    expect(await names()).toEqual(['daycare-friendship', 'daycare-subusers']);
    await expect(catalog().read(agent, 'daycare-friendship')).resolves.toContain('friend_add');
  });

  it('do not tell agents of a subuser of friendship, by whatever way', async () => {
    const ofSubuser = { ...agent, ownerUserId: 'owner1' };
    await writeFile(join(folder, 'daycare-friendship.md'), skill('forged'));
    expect(await names(ofSubuser)).toEqual(['daycare-subusers']);
    await expect(catalog().read(ofSubuser, 'daycare-friendship')).rejects.toMatchObject(missing);
  });
});

describe("a user's own skills", () => {
  it('come after the others, by name, and only to its own agents', async () => {
    await writeFile(join(folder, 'mend.md'), skill('How to mend'));
    await writeFile(join(folder, 'cook.md'), skill('How to cook', 'Use heat.'));
    expect((await catalog().list(agent)).slice(shippedNames.length)).toEqual([
      { name: 'cook', description: 'How to cook' },
      { name: 'mend', description: 'How to mend' },
    ]);
    expect(await catalog().read(agent, 'cook')).toBe('Use heat.');
    const stranger = testAgent({ userId: createId() });
    expect(await names(stranger)).toEqual(shippedNames);
    await expect(catalog().read(stranger, 'cook')).rejects.toMatchObject(missing);
  });

  it('never take the place of one that comes with Daycare', async () => {
    await writeFile(join(folder, 'daycare-subusers.md'), skill('forged', 'forged'));
    const listed = await catalog().list(agent);
    expect(listed.map(({ name }) => name)).toEqual(shippedNames);
    expect(JSON.stringify(listed)).not.toContain('forged');
    expect(await catalog().read(agent, 'daycare-subusers')).not.toContain('forged');
  });

  it('are listed by their file names when they say nothing of themselves', async () => {
    await writeFile(join(folder, 'broken.md'), '---\ndescription: no end');
    expect((await catalog().list(agent)).at(-1)).toEqual({ name: 'broken', description: '' });
  });

  it('are 100 at most', async () => {
    const numbers = Array.from({ length: 120 }, (_, index) => 100 + index);
    await Promise.all(numbers.map((n) => writeFile(join(folder, `s${n}.md`), 'text')));
    const own = (await names()).slice(shippedNames.length);
    expect(own).toEqual(numbers.slice(0, 100).map((number) => `s${number}`));
  });

  it.each([
    ['there are no directories', undefined],
    ['the directory is missing', homesIn('/nowhere/at/all')],
  ])('are none when %s', async (_, homes) => {
    const without = makeSkillCatalog(makeUserSkills(homes));
    expect((await without.list(agent)).map(({ name }) => name)).toEqual(shippedNames);
    await expect(without.read(agent, 'cook')).rejects.toMatchObject(missing);
  });
});

describe('nobody reads anything else:', () => {
  /** Neither listed nor read. */
  async function expectHidden(name: string): Promise<void> {
    expect(await names()).toEqual(shippedNames);
    await expect(catalog().read(agent, name)).rejects.toMatchObject(missing);
  }

  it.each([
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
  ])('a name like %j', async (name) => {
    await writeFile(join(usersDir, agent.userId, 'secret.md'), 'secret');
    await expectHidden(name);
  });

  it('a link in place of the file', async () => {
    await symlink(join(root, 'secret.md'), join(folder, 'link.md'));
    await expectHidden('link');
  });

  it('a link to a file of its own', async () => {
    await writeFile(join(usersDir, agent.userId, 'other.md'), 'other');
    await symlink('../other.md', join(folder, 'link.md'));
    await expectHidden('link');
  });

  it('a link that leads nowhere, or to itself', async () => {
    await symlink(join(root, 'nothing.md'), join(folder, 'link.md'));
    await symlink('loop.md', join(folder, 'loop.md'));
    await expectHidden('link');
    await expectHidden('loop');
  });

  it('a link in place of the folder', async () => {
    await rm(folder, { recursive: true });
    await symlink(root, folder);
    await expectHidden('secret');
  });

  it("a link in place of the user's directory", async () => {
    const other = join(root, createId());
    await mkdir(join(other, 'skills'), { recursive: true });
    await writeFile(join(other, 'skills', 'secret.md'), 'secret');
    await rm(join(usersDir, agent.userId), { recursive: true });
    await symlink(other, join(usersDir, agent.userId));
    await expectHidden('secret');
  });

  it('a user id that is a path', async () => {
    agent = { ...agent, userId: '../users' };
    await expectHidden('secret');
  });

  it('a directory with the name of a skill', async () => {
    await mkdir(join(folder, 'dir.md'));
    await expectHidden('dir');
  });

  it('a pipe that would never end', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    await expectHidden('pipe');
  });

  it('a file that is too long', async () => {
    await writeFile(join(folder, 'fits.md'), 'x'.repeat(65_536));
    expect(await catalog().read(agent, 'fits')).toHaveLength(65_536);
    await rm(join(folder, 'fits.md'));
    await writeFile(join(folder, 'long.md'), 'x'.repeat(65_537));
    await expectHidden('long');
  });

  it('a folder that is a file', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'text');
    await expectHidden('skills');
  });
});

describe('a directory of users that is itself reached by a link', () => {
  it('is where its skills are', async () => {
    await writeFile(join(folder, 'cook.md'), skill('How to cook'));
    const link = join(root, `link-${createId()}`);
    await symlink(usersDir, link);
    const linked = makeSkillCatalog(makeUserSkills(homesIn(link)));
    expect(await linked.read(agent, 'cook')).toBe('Do it.');
  });
});
