import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { DeletedUserStore, type ServiceKit, StopSequence } from '@daycare/service-kit';
import { eventually } from '@daycare/testing';
import { openHomes } from '../../homes/usecases/open-homes';
import type { UserHomes } from '../../homes/usecases/user-homes';
import { HomeStore } from '../../homes/store/home-store';
import { ProgramTraceStore } from '../../homes/store/program-trace-store';
import { ProvenanceStore } from '../../homes/store/provenance-store';
import { SandboxRunStore } from '../store/sandbox-run-store';
import { startTestRuntime, type TestRuntime } from '../../test-support/test-runtime';
import {
  makeTestSandbox,
  whyNoSandbox,
  type TestSandbox,
} from '../../test-support/homes/test-sandbox';
import { openPrograms } from './open-programs';

const reason = whyNoSandbox();
const nothing = (): void => undefined;
const log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
} as unknown as ServiceKit['log'];
const mebibyte = 1024 * 1024;
const now = (): Date => new Date();

let runtime: TestRuntime;
let sandbox: TestSandbox;
let homes: UserHomes;

beforeAll(async () => {
  runtime = await startTestRuntime();
  sandbox = makeTestSandbox();
  const { db } = runtime.mongo;
  const stores = {
    homeUsage: new HomeStore(db),
    provenanceRows: new ProvenanceStore(db),
    programTraces: new ProgramTraceStore(db),
    deletedUsers: new DeletedUserStore(db),
    ownerOf: async (userId: string) => userId,
  };
  const config = { usersDir: sandbox.usersDir, homeQuotaBytes: 8 * mebibyte };
  homes = (await openHomes(config, { ...stores, now }, { log }))!;
});
afterAll(async () => {
  await runtime.close();
  sandbox.close();
});

async function open() {
  const stop = new StopSequence();
  const runProgram = await openPrograms(
    {
      sandbox: {
        enabled: true,
        network: false,
        maxRuns: 2,
        uid: sandbox.uid,
        memoryBytes: 128 * mebibyte,
        processes: 32,
      },
      usersDir: sandbox.usersDir,
      homeQuotaBytes: 8 * mebibyte,
    },
    {
      ...runtime,
      sandboxRuns: new SandboxRunStore(runtime.mongo.db),
      hasPermission: async () => false,
      homes,
      now,
    },
    { log, stop },
  );
  return { runProgram, stop };
}

async function call() {
  const agent = await runtime.newAgent();
  await homes.ensure(agent.userId);
  return { agent, requestId: createId(), signal: new AbortController().signal };
}

const program = (command: string) => ({ command, timeoutMs: 20_000, network: false });

if (reason !== undefined)
  it(`openPrograms offers no way to run programs on a machine where they cannot run: ${reason}`, async () => {
    await expect(open()).resolves.toMatchObject({ runProgram: undefined });
  });
else {
  it('a program runs only once, even if its request is retried on another replica, and the files it wrote remain', async () => {
    const { runProgram } = await open();
    const request = await call();
    const first = await runProgram!(request, program('echo x >> f; wc -l < f'));
    expect(first).toMatchObject({ report: { exitCode: 0, stdout: '1\n' } });
    const { runProgram: another } = await open();
    await expect(another!(request, program('echo x >> f; wc -l < f'))).resolves.toEqual(first);
    await expect(homes.read(request.agent.userId, 'home/f', 100)).resolves.toEqual(
      Buffer.from('x\n'),
    );
  });

  it('a program that fills its user’s directory is killed, and programs and writes are refused until files are deleted', async () => {
    const { runProgram } = await open();
    const request = await call();
    const fill = 'for n in 1 2 3 4 5; do head -c 4M /dev/zero > $n; done; sleep 20';
    await expect(runProgram!(request, program(fill))).resolves.toMatchObject({
      report: { killedBy: 'quota' },
    });
    const again = { ...request, requestId: createId() };
    const refusal = { code: 'QUOTA_EXCEEDED' };
    await expect(runProgram!(again, program('true'))).rejects.toMatchObject(refusal);
    const { userId } = request.agent;
    await expect(homes.write(userId, 'home/x', Buffer.from('x'))).rejects.toMatchObject(refusal);
    for (const n of [1, 2, 3, 4, 5]) await homes.remove(userId, `home/${n}`);
    await expect(runProgram!(again, program('true'))).resolves.toMatchObject({
      report: { exitCode: 0 },
    });
  });

  it('a user can still run programs if the previous program created very deep folders', async () => {
    const { runProgram } = await open();
    const request = await call();
    const dig = 'for n in $(seq 300); do mkdir d; cd d; done';
    await expect(runProgram!(request, program(dig))).resolves.toMatchObject({
      report: { exitCode: 0 },
    });
    const again = { ...request, requestId: createId() };
    await expect(runProgram!(again, program('rm -r d; ls'))).resolves.toMatchObject({
      report: { stdout: '' },
    });
  });

  it('when the service stops, running programs are killed and are not run again', async () => {
    const { runProgram, stop } = await open();
    const request = await call();
    const running = runProgram!(request, program('echo begun > f; sleep 20'));
    const outcome = expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { userId } = request.agent;
    await eventually(async () => (await homes.read(userId, 'home/f', 100)) !== undefined);
    await stop.run(log, 5_000);
    await outcome;
    const { runProgram: another } = await open();
    const again = another!(request, program('echo begun > f; sleep 20'));
    await expect(again).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
  });
}
