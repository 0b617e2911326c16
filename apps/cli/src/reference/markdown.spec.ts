import { expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadAll } from '../commands/kit/lazy-commands';
import { readSettings } from '../config';
import { buildProgram } from '../program';
import { renderMarkdown } from './markdown';

const file = resolve(__dirname, '../../../../docs/cli.md');

it('docs/cli.md matches the commands; run this test with UPDATE_CLI_DOCS=1 to update it', async () => {
  const program = buildProgram(readSettings({}));
  await loadAll(program);
  const rendered = renderMarkdown(program);
  if (process.env['UPDATE_CLI_DOCS'] === '1') writeFileSync(file, rendered);
  expect(readFileSync(file, 'utf8')).toBe(rendered);
});
