import { join, resolve } from 'node:path';
import { findWorkspaceRoot, reasonOf } from '@daycare/local-stack';
import { findLocalStack, type FoundStack } from '../../client/contexts/local-stack';
import { readConfig, readEnvironment, type Config } from '../../config';
import { fail, renderChecks, type Check } from '../../doctor/check';
import {
  checkConfig,
  checkContext,
  checkContextServices,
  checkStack,
} from '../../doctor/check-context';
import { checkMachine, type Machine } from '../../doctor/check-machine';
import { checkPorts, checkServers } from '../../doctor/check-servers';
import { exitCodes } from '../../failure/exit-codes';
import { defineCommand, type Call } from '../kit/command';
import { dataDirOption } from './data-dir';

interface DoctorOptions {
  readonly dataDir?: string;
  readonly remote?: boolean;
}

export const doctorCommand = defineCommand<DoctorOptions>({
  name: 'doctor',
  description: 'check this machine for problems and suggest fixes; fails if anything is broken',
  options: [
    dataDirOption,
    [
      '--remote',
      'check the config file, the context, its services, the sign-in and the models, but not this machine',
    ],
  ],
  examples: ['doctor', 'doctor -o json', 'doctor --context work --remote'],
  async run(call) {
    const checks = call.options.remote ? await runRemoteChecks(call) : await runChecks(call);
    const isBroken = checks.some(({ status }) => status === 'fail');
    return {
      data: checks,
      render: (style) => renderChecks(checks, style),
      exitCode: isBroken ? exitCodes.failure : exitCodes.ok,
    };
  },
});

async function runChecks(call: Call<DoctorOptions>): Promise<Check[]> {
  const machine = await findMachine(call);
  const stack = findLocalStack(machine.dataDir);
  const [machineChecks, servers, ports, others, config, context] = await Promise.all([
    checkMachine(machine),
    checkServers(machine),
    checkPortsOf(machine, stack),
    checkOtherStack(call, stack),
    checkConfig(call),
    checkContext(call),
  ]);
  const running = checkStack(stack, machine.dataDir);
  return [...machineChecks, ...servers, ...ports, running, ...others, config, ...context];
}

/** Runs the checks for a machine that runs no stack, such as a container that has only the CLI. */
async function runRemoteChecks(call: Call<DoctorOptions>): Promise<Check[]> {
  return [await checkConfig(call), ...(await checkContext(call))];
}

async function findMachine({ options, chosen }: Call<DoctorOptions>): Promise<Machine> {
  const env = readEnvironment();
  const workspaceRoot = tryFindRoot();
  const chosenStack = (await chosen().catch(() => undefined))?.context.stack;
  const defaultDir = join(workspaceRoot ?? process.cwd(), '.daycare');
  return { env, workspaceRoot, dataDir: resolve(options.dataDir ?? chosenStack ?? defaultDir) };
}

function tryFindRoot(): string | undefined {
  try {
    return findWorkspaceRoot(__dirname);
  } catch {
    return undefined;
  }
}

async function checkPortsOf({ env }: Machine, stack: FoundStack | undefined): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    return [fail('ports', reasonOf(error), 'Correct or unset that variable.')];
  }
  return checkPorts(config.ports, stack);
}

/** Checks the services of the stack running on this machine, if the context uses a different stack. */
async function checkOtherStack(
  call: Call<DoctorOptions>,
  stack: FoundStack | undefined,
): Promise<Check[]> {
  if (!stack) return [];
  const chosen = await call.chosen().catch(() => undefined);
  if (chosen?.context.stack === stack.dataDir) return [];
  const checks = await checkContextServices(
    { name: 'stack', context: { stack: stack.dataDir } },
    call,
  );
  return checks.map((check) => ({ ...check, name: `stack ${check.name}` }));
}
