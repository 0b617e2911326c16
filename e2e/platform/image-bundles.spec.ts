import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testMongoUrl, testNatsUrl, uniqueName } from '@daycare/testing';
import {
  bareEnv,
  createSecrets,
  dockerfile,
  readExecForm,
  root,
  run,
  runtimeValues,
  services,
  type ProgramResult,
} from '../support/deploy/image-files';

describe('a bundle alone in a folder, as in the image', () => {
  const folders = new Map<string, string>();
  const filesInImage = runtimeValues('COPY').flatMap((value) =>
    Array.from(value.matchAll(/\/dist\/\$\{APP\}\/(\S+)/g), ([, file = '']) => file),
  );
  const anyPorts = { DAYCARE_LISTEN: '127.0.0.1:0', DAYCARE_HTTP_LISTEN: '127.0.0.1:0' };

  beforeAll(() => {
    for (const service of services) {
      const folder = mkdtempSync(join(tmpdir(), `daycare-${service}-`));
      folders.set(service, folder);
      for (const file of filesInImage)
        cpSync(join(root, 'dist', service, file), join(folder, file), { recursive: true });
    }
  });
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  it('the image contains the bundle, its V8 cache and everything else that the bundle loads', () => {
    expect(filesInImage).toEqual(['main.js', 'bundle.js', 'bundle.cache', 'programs', 'console']);
  });

  it('the program that converts files finds all its packages in the image', async () => {
    const [copyPackages = ''] = /cp -r --parents \S.*(?= dist)/.exec(dockerfile) ?? [];
    const programs = join(folders.get('agent-runtime')!, 'programs');
    await run(['sh', '-c', `${copyPackages} ${programs}`], root);
    const conversion = { kind: 'image', maxEdge: 2, maxPixels: 4, maxBytes: 10_000 };
    const convert = `node convert.js '${JSON.stringify(conversion)}' 20000 < image.gif | od -An -tx1 -N3`;
    const pixel = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    writeFileSync(join(programs, 'image.gif'), Buffer.from(pixel, 'base64'));
    const ended = await run(['sh', '-c', convert], programs);
    expect(ended).toEqual({ code: 0, stdout: ' ff d8 ff\n', stderr: '' });
  });

  it.each(services)('the %s bundle loads and reports an invalid configuration', async (service) => {
    const env = { ...anyPorts, DAYCARE_LISTEN: 'here', DAYCARE_LOGLEVEL: 'warn' };
    const ended = await run(readExecForm('ENTRYPOINT'), folders.get(service)!, env);
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toContain(`${service}: DAYCARE_LISTEN is "here"`);
    expect(ended.stderr).toContain(
      `${service}: DAYCARE_LOGLEVEL is set, but there is no such variable; did you mean DAYCARE_LOG_LEVEL?`,
    );
  });

  it('the identity bundle names a missing variable', async () => {
    const ended = await run(readExecForm('ENTRYPOINT'), folders.get('identity')!, anyPorts);
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toContain('identity: DAYCARE_MONGO_URL is not set');
  });

  it('the identity bundle passes its health check only while it is running, and exits with 0 on SIGTERM', async () => {
    const cwd = folders.get('identity')!;
    const [program, ...args] = readExecForm('ENTRYPOINT');
    await createSecrets(cwd);
    const configured = {
      DAYCARE_MONGO_URL: testMongoUrl(),
      DAYCARE_MONGO_DATABASE: uniqueName('alone'),
      DAYCARE_NATS_URL: testNatsUrl(),
      DAYCARE_NATS_PREFIX: uniqueName('alone'),
      DAYCARE_CREDENTIALS_FILE: 'secrets/credentials.json',
    };
    const child = spawn(program, args, { cwd, env: { ...bareEnv, ...anyPorts, ...configured } });
    try {
      const listening = { DAYCARE_HTTP_LISTEN: await readHttpAddress(child.stdout) };
      const checkHealth = (): Promise<ProgramResult> =>
        run(readExecForm('HEALTHCHECK'), cwd, listening);
      expect(await checkHealth()).toEqual({ code: 0, stdout: '', stderr: '' });
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await checkHealth()).toEqual({ code: 1, stdout: '', stderr: '' });
    } finally {
      child.kill('SIGKILL');
    }
  });
});

async function readHttpAddress(stdout: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { event, http } = JSON.parse(line) as { event?: string; http?: string };
    if (event === 'ready' && http !== undefined) return http;
  }
  throw new Error('the service ended before it was ready');
}
