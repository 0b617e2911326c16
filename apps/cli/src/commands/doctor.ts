import { join, resolve } from 'node:path';
import { findWorkspaceRoot, reasonOf } from '@daycare/local-stack';
import { findLocalStack, type FoundStack } from '../client/local-stack';
import { readConfig, readEnvironment, type Config } from '../config';
import { fail, renderChecks, type Check } from '../doctor/check';
import {
  examineConfig,
  examineContext,
  examineServices,
  examineStack,
} from '../doctor/examine-context';
import { examineMachine, type Machine } from '../doctor/examine-machine';
import { examinePorts, examineServers } from '../doctor/examine-servers';
import { exitCodes } from '../failure/exit-codes';
import { defineCommand, type Call } from './command';

interface DoctorOptions {
  readonly dataDir?: string;
}

export const doctorCommand = defineCommand<DoctorOptions>({
  name: 'doctor',
  description:
    'look for what is wrong on this machine and say what to do; fails when something is broken',
  options: [['--data-dir <folder>', 'the data folder of the stack (default: .daycare)']],
  examples: ['doctor', 'doctor -o json', 'doctor --context work'],
  async run(call) {
    const checks = await examine(call);
    const isBroken = checks.some(({ status }) => status === 'fail');
    return {
      data: checks,
      render: (style) => renderChecks(checks, style),
      exitCode: isBroken ? exitCodes.failure : exitCodes.ok,
    };
  },
});

async function examine(call: Call<DoctorOptions>): Promise<Check[]> {
  const machine = await findMachine(call);
  const stack = findLocalStack(machine.dataDir);
  const [own, servers, ports, others, config, context] = await Promise.all([
    examineMachine(machine),
    examineServers(machine),
    portsOf(machine, stack),
    otherStack(call, stack),
    examineConfig(call),
    examineContext(call),
  ]);
  const running = examineStack(stack, machine.dataDir);
  return [...own, ...servers, ...ports, running, ...others, config, ...context];
}

async function findMachine({ options, chosen }: Call<DoctorOptions>): Promise<Machine> {
  const env = readEnvironment();
  const workspaceRoot = tryFindRoot();
  const chosenStack = (await chosen().catch(() => undefined))?.context.stack;
  const usual = join(workspaceRoot ?? process.cwd(), '.daycare');
  return { env, workspaceRoot, dataDir: resolve(options.dataDir ?? chosenStack ?? usual) };
}

function tryFindRoot(): string | undefined {
  try {
    return findWorkspaceRoot(__dirname);
  } catch {
    return undefined;
  }
}

async function portsOf({ env }: Machine, stack: FoundStack | undefined): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    return [fail('ports', reasonOf(error), 'Correct that variable, or leave it out.')];
  }
  return examinePorts(config.ports, stack);
}

/** The services of the stack that runs, when the context is about others. */
async function otherStack(
  call: Call<DoctorOptions>,
  stack: FoundStack | undefined,
): Promise<Check[]> {
  if (!stack) return [];
  const chosen = await call.chosen().catch(() => undefined);
  if (chosen?.context.stack === stack.dataDir) return [];
  const checks = await examineServices({ name: 'stack', context: { stack: stack.dataDir } }, call);
  return checks.map((check) => ({ ...check, name: `stack ${check.name}` }));
}
