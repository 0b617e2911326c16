import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, type KubeObject } from './render-chart';

const packages: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'cert-manager.io': '@kubernetes-models/cert-manager',
};

/** Returns the module with an object's type and checks; generated from Kubernetes' and operators' OpenAPI schemas. */
function moduleOf({ apiVersion, kind }: KubeObject): string {
  const [group = ''] = apiVersion.split('/');
  return `${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/**
 * Returns the TypeScript compiler's errors about unknown, missing and wrongly typed fields. The compiler finds
 * unknown fields because an object literal must not have a property that its interface lacks.
 */
export function findTypeErrors(objects: readonly KubeObject[]): string[] {
  const folder = join(root, 'test-results/chart');
  mkdirSync(folder, { recursive: true });
  const imports = new Map(objects.map((object) => [moduleOf(object), object.kind]));
  const aliases = new Map([...imports.keys()].map((path, index) => [path, `Type${index}`]));
  const lines = [
    ...[...imports].map(
      ([path, kind]) => `import type { I${kind} as ${aliases.get(path)} } from '${path}';`,
    ),
    ...objects.map(
      (object, index) =>
        `export const object${index}: ${aliases.get(moduleOf(object))} = ${JSON.stringify(object)};`,
    ),
  ];
  const file = join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  return compile(file);
}

function compile(file: string): string[] {
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const options = ['--pretty', 'false', '--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--types', ''];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...modules, file], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line !== '');
}

type Model = new (data: KubeObject) => { validate(): void };

/** Returns errors about values that violate the enumerations, patterns and limits in the schemas. */
export function findInvalidValues(objects: readonly KubeObject[]): string[] {
  const load = createRequire(__filename);
  return objects.flatMap((object) => {
    const models = load(moduleOf(object)) as Readonly<Record<string, Model>>;
    const model = models[object.kind];
    if (!model) throw new Error(`there is no model for ${object.kind}`);
    try {
      new model(object).validate();
      return [];
    } catch (error) {
      return [`${object.kind} ${object.metadata.name}: ${(error as Error).message}`];
    }
  });
}
