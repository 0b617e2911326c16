import { Trust } from '@daycare/contracts/common';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { toWord, toYesNo } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { onlySubuser } from '../kit/options';

interface OfSubuser {
  readonly subuser?: string;
}

const subuserOption = onlySubuser("use this subuser's skills instead of your own");
const name = ['<name>', 'name from "daycare skill list"'] as const;
const hints = { NOT_FOUND: 'Run "daycare skill list" to see the skills.' };

const list = defineCommand<OfSubuser>({
  name: 'list',
  description: 'list skills and show which are waiting for your approval',
  options: [subuserOption],
  examples: ['skill list', 'skill list --subuser cook -o json'],
  async run({ session, options: { subuser: userId = '' } }) {
    const { runtime } = await session();
    const { skills } = await runtime.listSkills({ userId });
    return tableView(
      skills,
      [
        ['NAME', (skill) => skill.name],
        ['WRITTEN BY', ({ writtenBy }) => toWord(Trust, writtenBy) || 'own'],
        ['QUARANTINE', ({ inQuarantine }) => toYesNo(inQuarantine)],
        ['DESCRIPTION', ({ description }) => description, 'long'],
      ],
      'No skills, apart from those that come with Daycare.',
    );
  },
});

const show = defineCommand<OfSubuser>({
  name: 'show',
  description: "show a skill's text",
  args: [name],
  options: [subuserOption],
  examples: ['skill show cook'],
  hints,
  async run({ session, args: [skillName = ''], options: { subuser: userId = '' } }) {
    const { runtime } = await session();
    const { skill, text } = await runtime.getSkill({ userId, name: skillName });
    return recordView({ ...skill, text }, [
      ['name', skillName],
      ['written by', toWord(Trust, skill?.writtenBy) || 'own'],
      ['quarantine', toYesNo(skill?.inQuarantine ?? false)],
      ['sha256', skill?.sha256 ?? ''],
      ['text', text],
    ]);
  },
});

const approve = defineCommand<OfSubuser & { readonly sha256: string }>({
  name: 'approve',
  description:
    'let agents use a skill that a guest or outsider wrote, as long as its text stays the same',
  args: [name],
  options: [
    [
      '--sha256 <hash>',
      'hash of the text you have read, from "daycare skill show"',
      { isRequired: true },
    ],
    subuserOption,
  ],
  examples: ['skill approve cook --sha256 9f86d081…'],
  hints: {
    ...hints,
    FAILED_PRECONDITION: 'Read the current text with "daycare skill show" first.',
  },
  async run({ session, args: [skillName = ''], options: { subuser: userId = '', sha256 } }) {
    const { runtime, requestIds } = await session();
    const request = { requestId: requestIds.next(), userId, name: skillName, sha256 };
    const { skill } = await runtime.approveSkill(request);
    return textView(`Agents can now use ${skillName}.`, { ...skill });
  },
});

export const skillCommands: readonly AnyCommand[] = [list, show, approve];
