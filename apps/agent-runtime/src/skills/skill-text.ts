/** What a skill's file says. */
export interface SkillText {
  /** When to use it: one line, empty when the file does not say. */
  readonly description: string;
  readonly body: string;
}

const mostOfADescription = 300;
const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const describing = /^description:[ \t]*(?:[>|][+-]?)?(.*(?:\r?\n[ \t]+.*)*)/m;

/**
 * Reads a Markdown file with front matter. Where that is missing or broken, the whole file is the body
 * and nothing is known about it.
 */
export function readSkillText(file: string): SkillText {
  const [whole = '', fields = ''] = frontMatter.exec(file) ?? [];
  const [, description = ''] = describing.exec(fields) ?? [];
  return {
    description: oneLine(unquote(description.trim())),
    body: file.slice(whole.length).trim(),
  };
}

function unquote(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

/** It becomes part of a list that a model reads. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return Array.from(line).slice(0, mostOfADescription).join('');
}
