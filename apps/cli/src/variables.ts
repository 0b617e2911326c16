import { addressVariable, appNames, portVariable, serviceNames } from '@daycare/local-stack/lookup';

/** A variable that the CLI reads, as docs/configuration.md shows it. */
interface Variable {
  readonly name: string;
  readonly about: string;
  readonly takes: string;
  readonly default: string;
  readonly isSecret: boolean;
}

const optional = { takes: 'text', default: '', isSecret: false };
const file = { ...optional, takes: 'the path of a file' };

/** The variables with fixed names. */
export const variables = {
  config: {
    ...file,
    name: 'DAYCARE_CONFIG',
    about: 'the file that stores contexts, instead of daycare/config.yaml in XDG_CONFIG_HOME',
  },
  context: {
    ...optional,
    name: 'DAYCARE_CONTEXT',
    about: 'the context to use instead of the current one',
  },
  token: {
    ...optional,
    name: 'DAYCARE_TOKEN',
    takes: 'an access token or a personal access token',
    about: "overrides the context's token",
  },
  noColour: { ...optional, name: 'NO_COLOR', about: 'any non-empty value turns colours off' },
  mongod: {
    ...file,
    name: 'DAYCARE_MONGOD',
    about: 'the mongod that `up` starts, instead of one on the PATH or in the npm package',
  },
  natsServer: {
    ...file,
    name: 'DAYCARE_NATS_SERVER',
    about: 'the nats-server that `up` starts, instead of one on the PATH or in the npm package',
  },
} satisfies Record<string, Variable>;

/** The variables with fixed names, and those whose names contain the name of an app. */
export function listVariables(): readonly Variable[] {
  const addresses = serviceNames.map((name) => ({
    ...optional,
    name: addressVariable(name),
    takes: 'host:port',
    about: `overrides the context's address for ${name}`,
  }));
  const ports = appNames.map((name) => ({
    ...optional,
    name: portVariable(name),
    takes: 'a port from 1 to 65535',
    about: `the port that \`up\` uses for ${name}; by default its usual port, or any free one`,
  }));
  return [...Object.values(variables), ...addresses, ...ports];
}
