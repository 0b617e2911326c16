import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { eventually } from '@daycare/testing';
import type { Agent } from '../domain/agent';
import type { ProgramEnd } from '../domain/program-end';
import { makeWhenFree } from '../sandbox/when-free';
import { SandboxRunStore } from '../store/sandbox-run-store';
import { testContext } from '../test-support/test-agent';
import { startTestRuntime, type TestRuntime } from '../test-support/test-runtime';
import { makeExecTools } from '../tools/exec';
import type { ToolContext } from '../tools/tool';
import { ToolRegistry } from '../tools/tool-registry';
import { makeRunProgram, type RunProgramDeps } from './run-program';

type Started = Parameters<RunProgramDeps['runSandboxed']>[0];

const ended: ProgramEnd = {
  exitCode: 0,
  killedBy: undefined,
  stdout: 'done\n',
  stderr: '',
  stdoutCut: false,
  stderrCut: false,
};

let runtime: TestRuntime;
let agent: Agent;
let started: Started[];

beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());
beforeEach(async () => {
  agent = await runtime.newAgent();
  started = [];
});

const endAtOnce = async (): Promise<ProgramEnd> => ended;

/** A replica; its programs are only noted down. */
function replica(
  run: (program: Started) => Promise<ProgramEnd> = endAtOnce,
  overrides: Partial<RunProgramDeps> = {},
): ToolRegistry {
  const runProgram = makeRunProgram({
    ...runtime,
    sandboxRuns: new SandboxRunStore(runtime.mongo.db),
    homes: {
      directoryOf: async (userId) => `/users/${userId}`,
      hasRoom: async () => true,
      keepsRoom: async () => true,
      recount: async () => undefined,
    },
    networkAllowed: true,
    whenFree: makeWhenFree(2),
    runSandboxed: async (program) => {
      started.push(program);
      return run(program);
    },
    now: () => new Date(),
    ...overrides,
  });
  return new ToolRegistry(makeExecTools({ runProgram }));
}

function exec(tools: ToolRegistry, args: object = {}, context: Partial<ToolContext> = {}) {
  const argumentsJson = JSON.stringify({ command: 'true', ...args });
  return tools.call('exec', argumentsJson, testContext(agent, context));
}

const requestOf = (): { requestId: string } => ({ requestId: createId() });

describe('exec', () => {
  it('runs in the directory of the agent’s user, for 30 s and without network unless told', async () => {
    const { resultJson } = await exec(replica(), { command: 'ls' }, requestOf());
    expect(JSON.parse(resultJson)).toMatchObject({ summary: 'Exit code 0', stdout: 'done\n' });
    const directory = `/users/${agent.userId}`;
    expect(started).toMatchObject([
      { command: 'ls', directory, timeoutMs: 30_000, network: false },
    ]);
  });

  it('is absent where programs are not run', () => {
    expect(makeExecTools({ runProgram: undefined })).toEqual([]);
  });

  it.each([
    ['an empty command', { command: '' }],
    ['NUL', { command: 'a\0b' }],
    ['a long command', { command: 'x'.repeat(32_769) }],
    ['too much time', { timeoutMs: 120_001 }],
    ['no time', { timeoutMs: 0 }],
    ['what it does not know', { uid: 0 }],
  ])('refuses %s', async (_what, args) => {
    await expect(exec(replica(), args, requestOf())).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(started).toEqual([]);
  });

  it('gives the network only to an agent that was granted it, where the operator allows it', async () => {
    const wish = { network: true };
    const refusal = { code: 'PERMISSION_DENIED' };
    await expect(exec(replica(), wish, requestOf())).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('request_permission'),
    });
    // The context's agent is older than the grant.
    await runtime.agents.grant(agent, 'network');
    await exec(replica(), wish, requestOf());
    expect(started).toMatchObject([{ network: true }]);
    const closed = replica(endAtOnce, { networkAllowed: false });
    await expect(exec(closed, wish, requestOf())).rejects.toMatchObject(refusal);
    expect(started).toHaveLength(1);
  });

  it('starts nothing for a user who has no room left', async () => {
    const homes = {
      directoryOf: async () => '/',
      hasRoom: async () => false,
      keepsRoom: async () => true,
      recount: async () => undefined,
    };
    const call = exec(replica(endAtOnce, { homes }), {}, requestOf());
    await expect(call).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(started).toEqual([]);
  });
});

describe('exec, called again with the same request', () => {
  it('answers what it answered and starts nothing', async () => {
    const request = requestOf();
    const first = await exec(replica(), {}, request);
    await expect(exec(replica(), {}, request)).resolves.toEqual(first);
    expect(started).toHaveLength(1);
  });

  it('says that it was cut off when the process died or the turn was aborted before the end', async () => {
    const request = requestOf();
    const dying = replica(() => Promise.reject(new Error('cut off')));
    await expect(exec(dying, {}, request)).rejects.toThrow('cut off');
    const again = await replica().answer('exec', '{"command":"true"}', testContext(agent, request));
    expect(again).toMatchObject({ isError: true, resultJson: expect.stringContaining('in part') });
    expect(started).toHaveLength(1);
  });

  it('starts once however many replicas are called at the same moment', async () => {
    const request = requestOf();
    const calls = Array.from({ length: 8 }, () => exec(replica(), {}, request));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(started).toHaveLength(1);
  });

  it('is refused for another program', async () => {
    const request = requestOf();
    await exec(replica(), {}, request);
    await expect(exec(replica(), { command: 'false' }, request)).rejects.toMatchObject({
      code: 'REQUEST_ID_REUSED',
    });
  });
});

describe('exec, while others run', () => {
  it('waits for a place, lets one user have half of them, and gives up when it is aborted', async () => {
    const release: (() => void)[] = [];
    const tools = replica(() => new Promise((resolve) => release.push(() => resolve(ended))), {
      whenFree: makeWhenFree(2),
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
