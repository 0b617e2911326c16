/**
 * Writes the files that are made from the configuration of the apps; with --check, fails if they differ instead.
 * Needs built apps.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { root } from './apps.mjs';
import { renderFiles } from './reference.mjs';

const isCheck = process.argv.includes('--check');
for (const [path, text] of renderFiles()) {
  const filepath = join(root, path);
  const { inferredParser } = await getFileInfo(filepath);
  const options = { ...(await resolveConfig(filepath)), filepath };
  const wanted = inferredParser ? await format(text, options) : text;
  if (!isCheck) writeFileSync(filepath, wanted);
  else if (readFileSync(filepath, 'utf8') !== wanted) {
    console.error(`${path} does not match the code; run: npm run build && npm run reference`);
    process.exitCode = 1;
  }
}
