/** Renders docs/metrics.md: all metrics that the sources declare, each with its labels, by the app that has it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './apps.mjs';

const kinds = new Set(['Counter', 'Gauge', 'Histogram']);

/** @typedef {{ name: string, kind: string, help: string, labels: string[], where: string }} Metric */

/** @returns {Metric[]} sorted by name */
export function readMetrics() {
  const metrics = ['apps', 'libs'].flatMap((folder) => sourcesIn(folder).flatMap(metricsIn));
  return metrics.sort((a, b) => a.name.localeCompare(b.name));
}

function sourcesIn(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true });
  const isSource = (path) => /^[^/]+\/src\/(?!.*\.spec\.).*\.ts$/.test(path);
  return paths.filter(isSource).map((path) => join(folder, path));
}

function metricsIn(path) {
  const text = readFileSync(join(root, path), 'utf8');
  if (!text.includes('prom-client')) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const metrics = [];
  const visit = (node) => {
    if (ts.isNewExpression(node) && kinds.has(node.expression.text))
      metrics.push(describe(node, path));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return metrics;
}

function describe(node, path) {
  const properties = node.arguments[0].properties.filter(ts.isPropertyAssignment);
  const valueOf = (name) => properties.find((each) => each.name.text === name)?.initializer;
  const labels = valueOf('labelNames');
  return {
    name: valueOf('name').text,
    kind: node.expression.text.toLowerCase(),
    help: valueOf('help').text,
    labels: labels ? labelsIn(labels, node) : [],
    where: /^apps\/([^/]+)/.exec(path)?.[1] ?? 'service-kit',
  };
}

/** Returns a metric's labels. They must be written as a list of strings where the metric is declared. */
function labelsIn(expression, node) {
  const list = ts.isAsExpression(expression) ? expression.expression : expression;
  if (ts.isArrayLiteralExpression(list)) return list.elements.map(({ text }) => text);
  throw new Error(
    `the labels of ${node.arguments[0].properties[0].initializer.text} are not a list`,
  );
}

const introduction = `# Metrics

Generated from the code by \`npm run reference\`; a test compares the two, and another test compares them with what running services expose.

Each service and the gateway serve their metrics on \`/metrics\` at \`DAYCARE_HTTP_LISTEN\` (port 9464), in the Prometheus format, together with the usual
metrics of a Node process (\`process_…\`, \`nodejs_…\`). Every metric has the label \`app\`. [observability.md](observability.md) says which of them to watch.
`;

export function renderMetrics(metrics = readMetrics()) {
  const apps = [...new Set(metrics.map(({ where }) => where))].filter(
    (each) => each !== 'service-kit',
  );
  const sections = ['service-kit', ...apps.sort()].map((where) => {
    const title = where === 'service-kit' ? 'All services' : where;
    return `## ${title}\n\n${renderTable(metrics.filter((each) => each.where === where))}`;
  });
  return [introduction, ...sections].join('\n');
}

function renderTable(metrics) {
  const rows = metrics.map(({ name, kind, help, labels }) => [
    `\`${name}\``,
    kind,
    labels.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  const lines = [['Metric', 'Type', 'Labels', 'What'], ['---', '---', '---', '---'], ...rows];
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
