/**
 * Builds the package @daycare/client in dist/client: ESM, CommonJS and types, for Node (over gRPC) and for browsers
 * (with fetch, without grpc-js). `npm pack ./dist/client` makes the tarball.
 */
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { bufferShim, withoutNode } from './without-node.mjs';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'libs/client/src');
const target = join(root, 'dist/client');
const staging = `${target}.half`;
const { version } = JSON.parse(readFileSync(join(root, 'libs/client/package.json'), 'utf8'));
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const common = { bundle: true, target: 'es2022', legalComments: 'none', logLevel: 'warning' };
const entries = {
  index: {
    entryPoints: [join(source, 'node.ts')],
    platform: 'node',
    target: 'node20',
    external: ['@grpc/grpc-js'],
  },
  browser: {
    entryPoints: [join(source, 'browser.ts')],
    platform: 'browser',
    plugins: [withoutNode],
    inject: [bufferShim],
    minify: true,
  },
};

rmSync(staging, { recursive: true, force: true });
mkdirSync(staging, { recursive: true });
for (const [name, options] of Object.entries(entries)) {
  await build({ ...common, ...options, format: 'cjs', outfile: join(staging, `${name}.js`) });
  await build({ ...common, ...options, format: 'esm', outfile: join(staging, `${name}.mjs`) });
}
emitTypes();
const conditions = (name) => ({
  import: { types: `./${name}.d.mts`, default: `./${name}.mjs` },
  require: { types: `./${name}.d.ts`, default: `./${name}.js` },
});
writeFileSync(
  join(staging, 'package.json'),
  `${JSON.stringify(
    {
      name: '@daycare/client',
      version,
      description: 'Talk to agents, friends and subusers of Daycare',
      license: 'UNLICENSED',
      type: 'commonjs',
      engines: workspace.engines,
      main: './index.js',
      module: './index.mjs',
      types: './index.d.ts',
      exports: {
        '.': { browser: conditions('browser'), ...conditions('index') },
        './browser': conditions('browser'),
        './package.json': './package.json',
      },
      sideEffects: false,
      files: ['*.js', '*.mjs', '*.d.ts', '*.d.mts', 'types'],
      // The declarations refer to both; at run time only grpc-js is loaded, and only by the entry for Node.
      dependencies: versionsOf('@bufbuild/protobuf', '@grpc/grpc-js'),
    },
    null,
    2,
  )}\n`,
);
copyFileSync(join(root, 'libs/client/README.md'), join(staging, 'README.md'));
rmSync(target, { recursive: true, force: true });
renameSync(staging, target);

/**
 * Writes the declarations of both entries and of everything they refer to into types/, and files that export
 * them.
 */
function emitTypes() {
  const emitted = join(staging, 'emitted');
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const config = join(staging, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    allowImportingTsExtensions: false,
    rootDir: join(root, 'libs'),
    outDir: emitted,
    typeRoots: [join(root, 'node_modules/@types')],
    // Our libraries are mapped to their sources, because tsc emits no declarations for modules in node_modules.
    paths: {
      '@daycare/contracts/*': [join(root, 'libs/contracts/src/*')],
      ...Object.fromEntries(
        ['api', 'async', 'rpc'].map((lib) => [
          `@daycare/${lib}`,
          [join(root, 'libs', lib, 'src/index.ts')],
        ]),
      ),
    },
  };
  const files = ['node.ts', 'browser.ts'].map((name) => join(source, name));
  const baseConfig = join(root, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({ extends: baseConfig, compilerOptions, files, include: [] }),
  );
  execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  const copied = new Set();
  for (const [name, entry] of [
    ['index', 'node'],
    ['browser', 'browser'],
  ]) {
    copyTypes(join(emitted, `client/src/${entry}.d.ts`), emitted, copied);
    const line = `export * from './types/client/src/${entry}.js';\n`;
    for (const extension of ['ts', 'mts'])
      writeFileSync(join(staging, `${name}.d.${extension}`), line);
  }
  rmSync(emitted, { recursive: true });
  rmSync(config);
}

/**
 * Copies a declaration file and those it imports, and rewrites import paths so that every kind of module resolution
 * finds them.
 */
function copyTypes(file, emitted, copied) {
  if (copied.has(file)) return;
  copied.add(file);
  const text = readFileSync(file, 'utf8').replace(
    /(from |import\()(["'])(\.{1,2}\/[^"']+|@daycare\/[^"']+)\2/g,
    (_, keyword, quote, specifier) => {
      const imported = findTypes(file, specifier, emitted);
      copyTypes(imported, emitted, copied);
      const path = relative(dirname(file), imported).replace(/\.d\.ts$/, '.js');
      return `${keyword}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    },
  );
  const outfile = join(staging, 'types', relative(emitted, file));
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, text);
}

function findTypes(importer, specifier, emitted) {
  if (!specifier.startsWith('@daycare/')) return `${resolve(dirname(importer), specifier)}.d.ts`;
  const [, lib, ...rest] = specifier.split('/');
  return join(emitted, lib, 'src', `${rest.join('/') || 'index'}.d.ts`);
}

function versionsOf(...names) {
  return Object.fromEntries(names.map((name) => [name, workspace.dependencies[name]]));
}
