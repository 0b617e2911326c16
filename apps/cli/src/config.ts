import { AppError } from '@daycare/errors';
import { portVariable, serviceNames, type ServiceName } from '@daycare/local-stack';

export interface Config {
  /** Passed on to the processes that the CLI starts. */
  readonly env: NodeJS.ProcessEnv;
  /** gRPC ports that were asked for, by DAYCARE_IDENTITY_PORT and the like. */
  readonly ports: Readonly<Partial<Record<ServiceName, number>>>;
  /** NO_COLOR is set, to whatever value. */
  readonly noColour: boolean;
}

/** Reads the environment once; throws a sentence that names the variable when a value is wrong. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const ports = serviceNames.flatMap((name) => {
    const port = readPort(env, portVariable(name));
    return port === undefined ? [] : [[name, port] as const];
  });
  return Object.freeze({
    env,
    ports: Object.fromEntries(ports),
    noColour: (env['NO_COLOR'] ?? '') !== '',
  });
}

function readPort(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${variable} is "${text}"; it takes a port number from 1 to 65535.`,
  );
}
