/**
 * Renders the files that are generated from the code. The apps must be built: `--configuration` prints their variables.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { renderChartSchema } from './chart-schema.mjs';
import { root, services } from './apps.mjs';
import { renderComposeEnv } from './compose-env.mjs';
import { renderMetrics } from './metrics.mjs';

const apps = [...services, 'cli'];

/** @typedef {{ name: string, about: string, takes: string, default?: string, isSecret: boolean }} Variable */

/** @returns {Map<string, Variable[]>} each app's variables */
export function readVariables() {
  return new Map(apps.map((app) => [app, variablesOf(app)]));
}

function variablesOf(app) {
  const main = join(root, 'dist', app, 'main.js');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  return JSON.parse(
    execFileSync(process.execPath, [main, '--configuration'], { env, encoding: 'utf8' }),
  );
}

/** Returns the generated files: their contents by path. */
export function renderFiles(variables = readVariables()) {
  return new Map([
    ['docs/configuration.md', renderReference(variables)],
    ['libs/api/src/configuration/variable-names.ts', renderNames(variables)],
    ['deploy/helm/daycare/values.schema.json', renderChartSchema(variables)],
    ['docs/metrics.md', renderMetrics()],
    ['daycare.env.example', renderComposeEnv(variables)],
  ]);
}

const introduction = `# Configuration

Generated from the code by \`npm run reference\`; a test compares the two.

Each service and the gateway are configured by environment variables only. A process reads them once, when it starts. An invalid value, or a variable
named \`DAYCARE_…\` that no app reads, stops it with one line for each problem and exit code 78. An empty value has the same effect as no value. A secret
can also be given as the path of a file: append \`_FILE\` to the name of its variable. Times are in milliseconds.
\`node dist/<app>/main.js --configuration\` prints the variables of one app as JSON.
`;

function renderReference(variables) {
  const shared = sharedVariables(variables, services);
  const appsWithData = services.filter((app) => app !== 'gateway');
  const ofServers = without(sharedVariables(variables, appsWithData), shared);
  const sections = [
    ['All services and the gateway', shared],
    ['MongoDB and NATS: all services', ofServers],
    ...apps.map((app) => [titleOf(app), without(variables.get(app), [...shared, ...ofServers])]),
  ];
  const texts = sections.map(([title, rows]) => `## ${title}\n\n${renderTable(rows)}`);
  return [introduction, ...texts].join('\n');
}

function titleOf(app) {
  return app === 'cli' ? 'The `daycare` command' : app;
}

const has = (list, { name }) => list.some((each) => each.name === name);
const without = (list, others) => list.filter((each) => !has(others, each));

/**
 * Returns the variables that all these apps have. Only the name of the database has a different default in each app; it
 * is shown as "the name of the service".
 */
function sharedVariables(variables, names) {
  const [first, ...rest] = names.map((name) => variables.get(name));
  const isShared = ({ name, about }) =>
    rest.every((list) => list.some((each) => each.name === name && each.about === about));
  const defaultOf = (each) =>
    rest.some((list) => list.find(({ name }) => name === each.name).default !== each.default)
      ? { shownDefault: 'the name of the service' }
      : {};
  return first.filter(isShared).map((each) => ({ ...each, ...defaultOf(each) }));
}

function renderTable(rows) {
  const cells = rows.map((row) => [
    `\`${row.name}\`${row.isSecret ? ' (`_FILE`)' : ''}`,
    showDefault(row),
    row.takes,
    row.about,
  ]);
  const lines = [['Variable', 'Default', 'Takes', 'What'], ['---', '---', '---', '---'], ...cells];
  return `${lines.map((line) => `| ${line.map(escapeCell).join(' | ')} |`).join('\n')}\n`;
}

function showDefault(row) {
  if (row.shownDefault) return row.shownDefault;
  if (row.default === undefined) return '**required**';
  return row.default === '' ? '' : `\`${row.default}\``;
}

function escapeCell(text) {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function renderNames(variables) {
  const names = [...variables.values()].flat().map(({ name }) => name);
  const ours = [...new Set(names)].filter((name) => name.startsWith('DAYCARE_')).sort();
  const list = ours.map((name) => `  '${name}',`).join('\n');
  return `/** Generated from the code by \`npm run reference\`; a test compares the two. */\nexport const variableNames: readonly string[] = [\n${list}\n];\n`;
}
