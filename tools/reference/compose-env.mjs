/**
 * Renders daycare.env.example, with the variables that docker-compose.yml does not set itself and their defaults;
 * secrets, paths of files and `DAYCARE_TLS_CLIENTS` are left out.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root, services } from './apps.mjs';

const introduction = `# Copy this file to daycare.env and change what you need. docker-compose.yml passes all of these variables to every app,
# and each app reads its own. Set models, keys and addresses in .env instead. Generated from the code by npm run reference.
`;

/** Returns the variables that docker-compose.yml or the image sets for an app. */
export function setByCompose(app) {
  const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const inImage = ['DAYCARE_LISTEN', 'DAYCARE_HTTP_LISTEN'];
  return [...Object.keys(compose.services[app].environment), ...inImage];
}

/**
 * Reports whether a variable must be left out although Compose does not set it: because it contains the path of a file,
 * e.g. of a TLS key, which would need a volume, or because it is DAYCARE_TLS_CLIENTS, which has no effect here, as
 * Compose does not use TLS between containers.
 */
const needsFileOrTls = (name) => name.endsWith('_FILE') || name === 'DAYCARE_TLS_CLIENTS';

/** @param {Map<string, import('./reference.mjs').Variable[]>} variables */
export function renderComposeEnv(variables) {
  const listed = services.flatMap((app) => listVariables(app, variables.get(app)));
  const entriesByName = groupByName(listed);
  const sections = new Map([['several apps', []], ...services.map((app) => [app, []])]);
  for (const entries of entriesByName.values())
    sections.get(entries.length > 1 ? 'several apps' : entries[0].app).push(entries[0].variable);
  const texts = [...sections].map(
    ([title, all]) => `\n# ---- ${title}\n${all.map(renderVariable).join('')}`,
  );
  return [introduction, ...texts].join('');
}

function listVariables(app, variables) {
  const set = setByCompose(app).map((name) => name.replace(/_FILE$/, ''));
  return variables
    .filter(({ name, isSecret }) => !isSecret && !needsFileOrTls(name) && !set.includes(name))
    .map((variable) => ({ app, variable }));
}

function groupByName(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const { name } = entry.variable;
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}

function renderVariable({ name, about, default: fallback = '' }) {
  return `\n# ${about}\n#${name}=${fallback}\n`;
}
