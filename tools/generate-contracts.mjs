/**
 * Generates libs/contracts/src/gen from proto/: TypeScript by ts-proto, the descriptor set that reflection
 * serves, the list of methods that may be retried, and the comments for the API reference. With --check it writes
 * nothing, and fails if the existing files differ from what it would generate.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorSetSchema,
  MethodOptions_IdempotencyLevel as Level,
} from '@bufbuild/protobuf/wkt';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'libs/contracts/src/gen');
const buf = join(root, 'node_modules/.bin/buf');
const run = (...args) => execFileSync(buf, args, { cwd: root, maxBuffer: 64 << 20 });

function generate(outRoot) {
  run('generate', '-o', outRoot);
  adaptGenerated(join(outRoot, 'libs/contracts/src/gen'));
  const descriptors = run(
    'build',
    '--as-file-descriptor-set',
    '--exclude-source-info',
    '-o',
    '-#format=binpb',
  );
  const chunks = descriptors.toString('base64').match(/.{1,96}/g) ?? [];
  const literal = chunks.map((chunk) => `  '${chunk}',`).join('\n');
  writeFileSync(
    join(outRoot, 'libs/contracts/src/gen/descriptor-set.ts'),
    `/** A google.protobuf.FileDescriptorSet of everything in proto/. */\nexport const descriptorSetBase64 = [\n${literal}\n].join('');\n`,
  );
  writeFileSync(
    join(outRoot, 'libs/contracts/src/gen/comments.ts'),
    `/** The comments in proto/, by the full name of what they describe. */\nexport const comments: Readonly<Record<string, string>> = ${JSON.stringify(readComments(), null, 2)};\n`,
  );
  writeFileSync(
    join(outRoot, 'libs/contracts/src/gen/retryable-methods.ts'),
    `/** Methods that are free of side effects or idempotent, by service. */\nexport const methodsByService: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(retryableMethods(descriptors), null, 2)};\n`,
  );
}

/**
 * Makes two changes for which ts-proto has no option: messages are read by libs/contracts/src/wire/binary-reader.ts,
 * and bundles omit unused clients, which would otherwise be constructed whenever a service starts.
 */
function adaptGenerated(folder) {
  for (const name of listFiles(folder).filter((file) => file.endsWith('.ts'))) {
    const file = join(folder, name);
    const up = '../'.repeat(name.split('/').length);
    const adapted = readFileSync(file, 'utf8')
      .replace('"@bufbuild/protobuf/wire"', `"${up}wire/binary-reader"`)
      .replaceAll(
        '= makeGenericClientConstructor(',
        '= /* @__PURE__ */ makeGenericClientConstructor(',
      );
    writeFileSync(file, adapted);
  }
}

/** Returns the leading comment of every service, method, message, field, enum and value of our own files. */
function readComments() {
  const described = run('build', '--as-file-descriptor-set', '-o', '-#format=binpb');
  const { file: files } = fromBinary(FileDescriptorSetSchema, described);
  const comments = {};
  for (const file of files.filter(({ name }) => name.startsWith('daycare/'))) {
    for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
      if (leadingComments === '') continue;
      const lines = leadingComments.trim().split('\n');
      comments[nameAt(file, path)] = lines.map((line) => line.trim()).join(' ');
    }
  }
  return comments;
}

/**
 * Fields of descriptor.proto by number. A path in the source information consists of such numbers and of indexes.
 */
const members = { 4: 'messageType', 5: 'enumType', 6: 'service' };
const membersOf = {
  messageType: { 2: 'field', 3: 'nestedType', 4: 'enumType' },
  enumType: { 2: 'value' },
  service: { 2: 'method' },
};

function nameAt(file, [kind, index, ...rest]) {
  const member = members[kind];
  if (!member) return file.package;
  let element = file[member][index];
  let name = `${file.package}.${element.name}`;
  let innerMembers = membersOf[member];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const next = innerMembers?.[rest[at]];
    if (!next) break;
    element = element[next][rest[at + 1]];
    name += `.${element.name}`;
    innerMembers = membersOf[next === 'nestedType' ? 'messageType' : next];
  }
  return name;
}

function retryableMethods(descriptors) {
  const { file: files } = fromBinary(FileDescriptorSetSchema, descriptors);
  const isRetryable = ({ options }) =>
    [Level.NO_SIDE_EFFECTS, Level.IDEMPOTENT].includes(options?.idempotencyLevel);
  const entries = files.flatMap((file) =>
    file.service.map((service) => [
      `${file.package}.${service.name}`,
      service.method.filter(isRetryable).map(({ name }) => name),
    ]),
  );
  return Object.fromEntries(entries);
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function checkDrift() {
  const scratch = mkdtempSync(join(tmpdir(), 'daycare-contracts-'));
  try {
    generate(scratch);
    const fresh = join(scratch, 'libs/contracts/src/gen');
    const names = new Set([...listFiles(fresh), ...listFiles(target)]);
    const read = (folder, name) => {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return undefined;
      }
    };
    const drifted = [...names].filter((name) => read(fresh, name) !== read(target, name));
    if (drifted.length > 0) {
      console.error(
        `Generated code differs from proto/: ${drifted.join(', ')}. Run: npx nx run contracts:generate`,
      );
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv.includes('--check')) checkDrift();
else generate(root);
