import { homedir } from 'node:os';
import { join } from 'node:path';
import { AppError, describeUnknownVariable, findUnknownVariables } from '@daycare/api';
import {
  addressVariable,
  appNames,
  portVariable,
  serviceNames,
  type AppName,
  type ServiceName,
} from '@daycare/local-stack/lookup';
import { variables } from './variables';

export interface Config {
  /** Passed to the processes that the CLI starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Requested ports: DAYCARE_IDENTITY_PORT and the like. */
  readonly ports: Readonly<Partial<Record<AppName, number>>>;
  /** Whether NO_COLOR is set to a non-empty value. */
  readonly noColour: boolean;
}

/** Environment settings for commands that call services. */
export interface Settings {
  /** The path of the file that stores contexts: DAYCARE_CONFIG, or the default path. */
  readonly configFile: string;
  /** DAYCARE_CONTEXT: overrides the current context. */
  readonly context: string | undefined;
  /** DAYCARE_TOKEN: overrides the context's access token. */
  readonly token: string | undefined;
  /** DAYCARE_IDENTITY_ADDRESS and the like: override the context's addresses. */
  readonly addresses: Readonly<Partial<Record<ServiceName, string>>>;
  readonly noColour: boolean;
}

/** Reads the environment; throws an error that names the variable if a port is invalid. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const ports = appNames.flatMap((name) => {
    const port = readPort(env, portVariable(name));
    return port === undefined ? [] : [[name, port] as const];
  });
  return Object.freeze({ env, ports: Object.fromEntries(ports), noColour: hasNoColour(env) });
}

/** Throws an error that names every unknown DAYCARE_ variable. Used by `up`, which passes the variables to services. */
export function requireKnownVariables(env: NodeJS.ProcessEnv): void {
  const unknown = findUnknownVariables(env);
  if (unknown.length > 0)
    throw new AppError('INVALID_ARGUMENT', unknown.map(describeUnknownVariable).join('\n'));
}

/** Returns the raw environment, for the doctor's checks. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return env;
}

export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const addresses = serviceNames.flatMap((name) => {
    const address = read(env, addressVariable(name));
    return address ? [[name, address] as const] : [];
  });
  const configHome = read(env, 'XDG_CONFIG_HOME') ?? join(homedir(), '.config');
  return Object.freeze({
    configFile: read(env, variables.config.name) ?? join(configHome, 'daycare', 'config.yaml'),
    context: read(env, variables.context.name),
    token: read(env, variables.token.name),
    addresses: Object.fromEntries(addresses),
    noColour: hasNoColour(env),
  });
}

function hasNoColour(env: NodeJS.ProcessEnv): boolean {
  return read(env, variables.noColour.name) !== undefined;
}

/** Treats an empty variable as unset. */
function read(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  return env[variable] === '' ? undefined : env[variable];
}

function readPort(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${variable} is "${text}"; it must be a port number from 1 to 65535.`,
  );
}
