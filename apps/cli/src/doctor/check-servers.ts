import {
  appNames,
  findServer,
  hidePassword,
  isPortFree,
  portVariable,
  preferredEdgePort,
  preferredPorts,
  reasonOf,
  tryServer,
  type FoundServer,
  type ServerKind,
} from '@daycare/local-stack';
import type { FoundStack } from '../client/contexts/local-stack';
import type { Config } from '../config';
import { fail, ok, type Check } from './check';
import type { Machine } from './check-machine';
import { assessPort, type StackPort } from './assess-machine';
import { findPortHolder } from './port-holder';

const titles: Readonly<Record<ServerKind, string>> = { mongo: 'MongoDB', nats: 'NATS' };
const sources = { environment: 'the environment', path: 'PATH', package: 'the npm package' };

/** Checks that MongoDB and NATS can be found and run; no checks outside the repository, where no stack can start. */
export async function checkServers(machine: Machine): Promise<Check[]> {
  const { workspaceRoot } = machine;
  if (workspaceRoot === undefined) return [];
  const kinds = ['mongo', 'nats'] as const;
  return Promise.all(kinds.map((kind) => checkServer(kind, { ...machine, workspaceRoot })));
}

async function checkServer(
  kind: ServerKind,
  { env, workspaceRoot, dataDir }: Machine & { readonly workspaceRoot: string },
): Promise<Check> {
  const name = titles[kind];
  try {
    const found = findServer(kind, { env, workspaceRoot });
    const version = await tryServer(kind, found, { env, scratchDir: dataDir });
    return ok(name, `${version}, ${describe(found)}`);
  } catch (error) {
    // These messages have two parts: the problem, and what to do.
    const [, problem = '', advice = ''] =
      /^(.*?)[:;] ((?:install|set|correct) .*)$/s.exec(reasonOf(error)) ?? [];
    return fail(name, problem || reasonOf(error), capitalise(advice));
  }
}

function describe(found: FoundServer): string {
  if (found.kind === 'url') return `already running at ${hidePassword(found.url)}`;
  return `from ${sources[found.binary.source]} (${found.binary.path})`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Checks the ports that a stack would use. */
export async function checkPorts(
  ports: Config['ports'],
  stack: FoundStack | undefined,
): Promise<Check[]> {
  const addresses = [...Object.values(stack?.addresses ?? {}), stack?.edgeAddress ?? ''];
  const stackPorts = new Set(addresses.map((address) => portOf(address)));
  const edge = { owner: 'the HTTP edge', port: preferredEdgePort };
  const requests = [
    ...appNames.map((owner) => {
      const requested = ports[owner];
      return requested === undefined
        ? { owner, port: preferredPorts[owner] }
        : { owner, port: requested, variable: portVariable(owner) };
    }),
    edge,
  ];
  return Promise.all(
    requests.map(async (request) =>
      assessPort(await inspectPort(request, stackPorts.has(request.port))),
    ),
  );
}

async function inspectPort(
  request: Pick<StackPort, 'owner' | 'port' | 'variable'>,
  isOurs: boolean,
): Promise<StackPort> {
  if (await isPortFree(request.port)) return { ...request, use: 'free' };
  if (isOurs) return { ...request, use: 'ours' };
  const holder = await findPortHolder(request.port);
  return { ...request, use: 'taken', ...(holder === undefined ? {} : { holder }) };
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
