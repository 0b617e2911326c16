import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import { eventually } from '@daycare/testing';
import type { Agent } from '../../agents/domain/agent';
import type { ProgramEnd } from '../domain/program-end';
import { makeWithRunSlot } from '../sandbox/run-slots';
import { SandboxRunStore } from '../store/sandbox-run-store';
import { testContext } from '../../test-support/test-agent';
import { startTestRuntime, type TestRuntime } from '../../test-support/test-runtime';
import { execTools } from '../../tools/families/exec-tools';
import type { ToolContext } from '../../tools/registry/tool';
import { testRegistry } from '../../test-support/test-tool';
import type { ToolRegistry } from '../../tools/registry/tool-registry';
import { makeRunProgram, type RunProgramDeps } from './run-program';

type StartedProgram = Parameters<RunProgramDeps['runSandboxed']>[0];

const programEnd: ProgramEnd = {
  exitCode: 0,
  killedBy: undefined,
  stdout: 'done\n',
  stderr: '',
  stdoutCut: false,
  stderrCut: false,
};

let runtime: TestRuntime;
let agent: Agent;
let started: StartedProgram[];
const granted = new Set<string>();

beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());
beforeEach(async () => {
  agent = await runtime.newAgent();
  started = [];
});

/** Provenance is tested elsewhere, on real files. */
const noTraces = {
  begin: async (userId: string, id: string, trust: Trust) => ({
    id,
    userId,
    trust,
    startedMs: 0,
    foreignInodes: [],
    startedAt: new Date(),
  }),
  end: async () => undefined,
};
const endImmediately = async (): Promise<ProgramEnd> => programEnd;

/** A replica that records programs instead of running them. */
function replica(
  run: (program: StartedProgram) => Promise<ProgramEnd> = endImmediately,
  overrides: Partial<RunProgramDeps> = {},
): ToolRegistry {
  const runProgram = makeRunProgram({
    ...runtime,
    sandboxRuns: new SandboxRunStore(runtime.mongo.db),
    hasPermission: async ({ id }, permission) => granted.has(`${id} ${permission}`),
    homes: {
      directoryOf: async (userId) => `/users/${userId}`,
      hasRoom: async () => true,
      stillHasRoom: async () => true,
      recount: async () => undefined,
      ...noTraces,
    },
    networkAllowed: true,
    withRunSlot: makeWithRunSlot(2),
    runSandboxed: async (program) => {
      started.push(program);
      return run(program);
    },
    now: () => new Date(),
    ...overrides,
  });
  return testRegistry(execTools({ runProgram }));
}

function exec(tools: ToolRegistry, args: object = {}, context: Partial<ToolContext> = {}) {
  const argumentsJson = JSON.stringify({ command: 'true', ...args });
  return tools.call('exec', argumentsJson, testContext(agent, context));
}

const requestOf = (): { requestId: string } => ({ requestId: createId() });

describe('exec', () => {
  it('a program runs in its user’s directory, for 30 s and without network by default', async () => {
    const { resultJson } = await exec(replica(), { command: 'ls' }, requestOf());
    expect(JSON.parse(resultJson)).toMatchObject({ summary: 'Exit code 0', stdout: 'done\n' });
    const directory = `/users/${agent.userId}`;
    expect(started).toMatchObject([
      { command: 'ls', directory, timeoutMs: 30_000, network: false },
    ]);
  });

  it('there is no exec tool where programs cannot run', () => {
    expect(execTools({ runProgram: undefined })).toEqual([]);
  });

  it.each([
    ['an empty command', { command: '' }],
    ['a command with a NUL character', { command: 'a\0b' }],
    ['a command that is too long', { command: 'x'.repeat(32_769) }],
    ['a timeout that is too long', { timeoutMs: 120_001 }],
    ['a timeout of zero', { timeoutMs: 0 }],
    ['an unknown argument', { uid: 0 }],
  ])('refuses %s', async (_what, args) => {
    await expect(exec(replica(), args, requestOf())).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(started).toEqual([]);
  });

  it('a program gets network access only if its agent has a grant and the operator allows it', async () => {
    const options = { network: true };
    const refusal = { code: 'PERMISSION_DENIED' };
    await expect(exec(replica(), options, requestOf())).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('request_permission'),
    });
    granted.add(`${agent.id} network`);
    await exec(replica(), options, requestOf());
    expect(started).toMatchObject([{ network: true }]);
    const closed = replica(endImmediately, { networkAllowed: false });
    await expect(exec(closed, options, requestOf())).rejects.toMatchObject(refusal);
    expect(started).toHaveLength(1);
  });

  it('a network grant has no effect in turns that it does not cover', async () => {
    const tools = replica(endImmediately, {
      hasPermission: async (_agent, _permission, { trust, hasReadForeign }) =>
        trust === 'person' && !hasReadForeign,
    });
    const inTurn = (trust: Trust, more: Partial<ToolContext> = {}) =>
      exec(tools, { network: true }, { ...requestOf(), trust, ...more });
    const refusal = { code: 'PERMISSION_DENIED' };
    await expect(inTurn('own')).rejects.toMatchObject(refusal);
    await expect(inTurn('person', { hasReadForeign: true })).rejects.toMatchObject(refusal);
    await inTurn('person');
    expect(started).toHaveLength(1);
  });

  it('no program starts for a user whose quota is used up', async () => {
    const homes = {
      directoryOf: async () => '/',
      hasRoom: async () => false,
      stillHasRoom: async () => true,
      recount: async () => undefined,
      ...noTraces,
    };
    const call = exec(replica(endImmediately, { homes }), {}, requestOf());
    await expect(call).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(started).toEqual([]);
  });
});

describe('exec, retried with the same request id', () => {
  it('a retried call returns the first outcome and starts no program', async () => {
    const request = requestOf();
    const first = await exec(replica(), {}, request);
    await expect(exec(replica(), {}, request)).resolves.toEqual(first);
    expect(started).toHaveLength(1);
  });

  it('a retry of an interrupted call reports that the program may have run partially', async () => {
    const request = requestOf();
    const dying = replica(() => Promise.reject(new Error('interrupted')));
    await expect(exec(dying, {}, request)).rejects.toThrow('interrupted');
    const again = await replica().answer('exec', '{"command":"true"}', testContext(agent, request));
    expect(again).toMatchObject({
      isError: true,
      resultJson: expect.stringContaining('partially'),
    });
    expect(started).toHaveLength(1);
  });

  it('a program starts once even if several replicas receive the same call at the same time', async () => {
    const request = requestOf();
    const calls = Array.from({ length: 8 }, () => exec(replica(), {}, request));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(started).toHaveLength(1);
  });

  it('a request id that was used for one program is refused for another', async () => {
    const request = requestOf();
    await exec(replica(), {}, request);
    await expect(exec(replica(), { command: 'false' }, request)).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
  });
});

describe('exec under load', () => {
  it('a program waits for a free slot, one user gets at most half of the slots, and aborting a call ends its wait', async () => {
    const release: (() => void)[] = [];
    const tools = replica(() => new Promise((resolve) => release.push(() => resolve(programEnd))), {
      withRunSlot: makeWithRunSlot(2),
    });
    const first = exec(tools, {}, requestOf());
    await eventually(() => started.length === 1);
    const aborting = new AbortController();
    const second = exec(tools, {}, { ...requestOf(), signal: aborting.signal });
    const third = exec(tools, {}, requestOf());
    const gaveUp = expect(second).rejects.toThrow('enough');
    agent = await runtime.newAgent();
    const other = exec(tools, {}, requestOf());
    await eventually(() => started.length === 2);
    aborting.abort(new Error('enough'));
    await gaveUp;
    expect(new Set(started.map(({ directory }) => directory)).size).toBe(2);
    release.forEach((end) => end());
    await Promise.all([first, other]);
    await eventually(() => started.length === 3);
    release.at(-1)!();
    await third;
    expect(started).toHaveLength(3);
  });
});
