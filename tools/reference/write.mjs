/**
 * Writes the files that are generated from the code. With --check, it writes nothing and fails if a file differs. The
 * apps must be built.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { root } from './apps.mjs';
import { renderFiles } from './reference.mjs';

const isCheck = process.argv.includes('--check');
const { printWidth, singleQuote, proseWrap } = JSON.parse(
  readFileSync(join(root, '.oxfmtrc.json'), 'utf8'),
);
const style = { printWidth, singleQuote, proseWrap };
for (const [path, text] of renderFiles()) {
  const file = join(root, path);
  const wanted = /\.(json|md|ya?ml)$/.test(path) ? (await format(path, text, style)).code : text;
  if (!isCheck) writeFileSync(file, wanted);
  else if (readFileSync(file, 'utf8') !== wanted) {
    console.error(`${path} does not match the code; run: npm run build && npm run reference`);
    process.exitCode = 1;
  }
}
