import { describe, expect, it } from '@jest/globals';
import { readSkillText } from './skill-text';

describe('readSkillText', () => {
  it('splits a skill file into description and body', () => {
    const file = '---\nname: cook\ndescription: How to cook\n---\n\n# Cooking\n\nUse heat.\n';
    expect(readSkillText(file)).toEqual({
      description: 'How to cook',
      body: '# Cooking\n\nUse heat.',
    });
  });

  it.each([
    ['in quotes', '---\ndescription: "How: to cook"\n---\nbody'],
    ['with Windows line ends', '---\r\nname: a\r\ndescription: How: to cook\r\n---\r\nbody'],
    ['with a byte order mark', '\uFEFF---\ndescription: How: to cook\n---\nbody'],
    ['as a folded block', '---\ndescription: >-\n  How:\n  to cook\nname: a\n---\nbody'],
    ['with invisible characters', '---\ndescription: How:\u0007\u200b to\tcook\n---\nbody'],
  ])('reads a skill description written %s', (_, file) => {
    expect(readSkillText(file)).toEqual({ description: 'How: to cook', body: 'body' });
  });

  it.each([
    ['no front matter', 'just text'],
    ['front matter without an end', '---\ndescription: How to cook\njust text'],
    ['whitespace before the front matter', ' \n---\ndescription: How to cook\n---\njust text'],
    ['no content', ''],
  ])('the whole skill file is the body when it has %s', (_, file) => {
    expect(readSkillText(file)).toEqual({ description: '', body: file.trim() });
  });

  it('a skill has an empty description when its front matter has none', () => {
    expect(readSkillText('---\nname: cook\n---\nbody')).toEqual({ description: '', body: 'body' });
  });

  it('truncates a skill description to 300 characters', () => {
    const { description } = readSkillText(`---\ndescription: ${'🦊'.repeat(400)}\n---\n`);
    expect(description).toBe('🦊'.repeat(300));
  });

  it('a skill file whose front matter never ends has an empty description, even with 30,000 blank lines in it', () => {
    const blanks = `---\ndescription:${'\n '.repeat(30_000)}x`;
    expect(readSkillText(blanks).description).toBe('');
  });
});
