import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testMongoUrl, testNatsUrl } from '@daycare/testing';
import { createCredentials, type Credentials } from '../credentials/credentials';
import { findWorkspaceRoot } from '../workspace-root';
import { LocalStack } from './local-stack';

describe('the credentials of a local stack', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'daycare-stack-credentials-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  /** Starts and stops a stack without services. */
  const run = async (
    options: { fresh?: boolean; env?: NodeJS.ProcessEnv } = {},
  ): Promise<{ credentials: Credentials; isNew: boolean; events: string }> => {
    const servers = { DAYCARE_MONGO_URL: testMongoUrl(), DAYCARE_NATS_URL: testNatsUrl() };
    let events = '';
    const stack = new LocalStack({
      dataDir,
      workspaceRoot: findWorkspaceRoot(__dirname),
      env: { PATH: process.env['PATH'], ...servers, ...options.env },
      fresh: options.fresh ?? false,
      services: [],
      onEvent: (event) => (events += JSON.stringify(event)),
    });
    await stack.start();
    await stack.stop();
    const isNew = events.includes('"credentials-created"');
    return { credentials: stack.credentials, isNew, events };
  };

  it('a stack keeps its credentials between runs and creates new ones with --fresh', async () => {
    const first = await run();
    expect(first.isNew).toBe(true);
    expect(await run()).toMatchObject({ credentials: first.credentials, isNew: false });
    const fresh = await run({ fresh: true });
    expect(fresh.isNew).toBe(true);
    expect(fresh.credentials).not.toEqual(first.credentials);
  });

  it('a stack uses the operator’s credentials if they are given, and the stored ones in a later run without them', async () => {
    const { credentials } = await run();
    const given = createCredentials();
    const env = { DAYCARE_CREDENTIALS: JSON.stringify(given) };
    expect(await run({ env })).toMatchObject({ credentials: given, isNew: false });
    expect(await run()).toMatchObject({ credentials, isNew: false });
  });

  it('a stack announces new credentials once, without the admin secret', async () => {
    const { events, credentials } = await run();
    expect(events).toContain('{"type":"credentials-created"}');
    expect(events).not.toContain(credentials.admin);
    expect((await run()).events).not.toContain('credentials-created');
  });

  it('a stack has no credentials before it starts', () => {
    const env = { DAYCARE_MONGO_URL: testMongoUrl(), DAYCARE_NATS_URL: testNatsUrl() };
    const stack = new LocalStack({ dataDir, env, workspaceRoot: findWorkspaceRoot(__dirname) });
    expect(() => stack.credentials).toThrow('not available before the stack starts');
  });
});
