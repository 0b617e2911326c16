import { describe, expect, it } from '@jest/globals';
import { readSkillText } from './skill-text';

describe("a skill's file", () => {
  it('has a description and a body', () => {
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
    ['folded', '---\ndescription: >-\n  How:\n  to cook\nname: a\n---\nbody'],
    ['with signs nobody sees', '---\ndescription: How:\u0007\u200b to\tcook\n---\nbody'],
  ])('may be written %s', (_, file) => {
    expect(readSkillText(file)).toEqual({ description: 'How: to cook', body: 'body' });
  });

  it.each([
    ['none', 'just text'],
    ['no end', '---\ndescription: How to cook\njust text'],
    ['something before it', ' \n---\ndescription: How to cook\n---\njust text'],
    ['nothing at all', ''],
  ])('is all body when its front matter has %s', (_, file) => {
    expect(readSkillText(file)).toEqual({ description: '', body: file.trim() });
  });

  it('has no description when its front matter has none', () => {
    expect(readSkillText('---\nname: cook\n---\nbody')).toEqual({ description: '', body: 'body' });
  });

  it('has a description of one line of 300 characters at most', () => {
    const { description } = readSkillText(`---\ndescription: ${'🦊'.repeat(400)}\n---\n`);
    expect(description).toBe('🦊'.repeat(300));
  });

  it('is read at once, however it is made', () => {
    const blanks = `---\ndescription:${'\n '.repeat(30_000)}x`;
    expect(readSkillText(blanks).description).toBe('');
  });
});
