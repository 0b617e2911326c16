import {
  findServer,
  hidePassword,
  isPortFree,
  portVariable,
  preferredEdgePort,
  preferredPorts,
  reasonOf,
  serviceNames,
  tryServer,
  type FoundServer,
  type ServerKind,
} from '@daycare/local-stack';
import type { FoundStack } from '../client/local-stack';
import type { Config } from '../config';
import { fail, ok, type Check } from './check';
import type { Machine } from './examine-machine';
import { judgePort, type WantedPort } from './judge-machine';
import { findPortHolder } from './port-holder';

const titles: Readonly<Record<ServerKind, string>> = { mongo: 'MongoDB', nats: 'NATS' };
const sources = { environment: 'the environment', path: 'the PATH', package: 'the npm package' };

/** The real servers that a stack runs with. */
export async function examineServers(machine: Machine): Promise<Check[]> {
  const { workspaceRoot } = machine;
  if (workspaceRoot === undefined) return [];
  const kinds = ['mongo', 'nats'] as const;
  return Promise.all(kinds.map((kind) => examineServer(kind, { ...machine, workspaceRoot })));
}

async function examineServer(
  kind: ServerKind,
  { env, workspaceRoot, dataDir }: Machine & { readonly workspaceRoot: string },
): Promise<Check> {
  const name = titles[kind];
  try {
    const found = findServer(kind, { env, workspaceRoot });
    const version = await tryServer(kind, found, { env, scratchDir: dataDir });
    return ok(name, `${version}, ${describe(found)}`);
  } catch (error) {
    // They are sentences of two halves: what is wrong, and what to do.
    const [, what = '', advice = ''] =
      /^(.*?)[:;] ((?:install|set|correct) .*)$/s.exec(reasonOf(error)) ?? [];
    return fail(name, what || reasonOf(error), capitalise(advice));
  }
}

function describe(found: FoundServer): string {
  if (found.kind === 'url') return `already there at ${hidePassword(found.url)}`;
  return `from ${sources[found.binary.source]} (${found.binary.path})`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The ports that a stack would take. */
export async function examinePorts(
  ports: Config['ports'],
  stack: FoundStack | undefined,
): Promise<Check[]> {
  const own = new Set(Object.values(stack?.addresses ?? {}).map((address) => portOf(address)));
  const edge = { owner: 'the HTTP edge', port: preferredEdgePort };
  const wanted = [
    ...serviceNames.map((owner) => {
      const asked = ports[owner];
      return asked === undefined
        ? { owner, port: preferredPorts[owner] }
        : { owner, port: asked, variable: portVariable(owner) };
    }),
    edge,
  ];
  return Promise.all(
    wanted.map(async (wish) => {
      // Where the edge of a running stack is, only that stack knows.
      const isOurs = own.has(wish.port) || (stack !== undefined && wish === edge);
      return judgePort(await lookAtPort(wish, isOurs));
    }),
  );
}

async function lookAtPort(
  wish: Pick<WantedPort, 'owner' | 'port' | 'variable'>,
  isOurs: boolean,
): Promise<WantedPort> {
  if (await isPortFree(wish.port)) return { ...wish, use: 'free' };
  if (isOurs) return { ...wish, use: 'ours' };
  const holder = await findPortHolder(wish.port);
  return { ...wish, use: 'taken', ...(holder === undefined ? {} : { holder }) };
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}
