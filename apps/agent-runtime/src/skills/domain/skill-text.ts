/** The content of a skill file. */
export interface SkillText {
  /** When to use the skill, in one line; empty if the file does not say. */
  readonly description: string;
  readonly body: string;
}

const maxDescriptionCharacters = 300;
const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const descriptionField = /^description:[ \t]*(?:[>|][+-]?)?(.*(?:\r?\n[ \t]+.*)*)/m;

/** Parses Markdown with front matter. If the front matter is missing or broken, the whole file is the body. */
export function readSkillText(file: string): SkillText {
  const [whole = '', fields = ''] = frontMatter.exec(file) ?? [];
  const [, description = ''] = descriptionField.exec(fields) ?? [];
  return {
    description: oneLine(unquote(description.trim())),
    body: file.slice(whole.length).trim(),
  };
}

function unquote(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

/** Replaces line breaks and invisible characters, which could make a description look like part of the prompt. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return Array.from(line).slice(0, maxDescriptionCharacters).join('');
}
