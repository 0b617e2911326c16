import { serviceNames } from '../../services/service-catalog';
import type { NatsPasswords } from '../../credentials/nats-passwords';
import { passwordVariable, renderAccounts } from './render-accounts';

/** The users of a NATS server. */
export interface NatsAccess {
  readonly passwords: NatsPasswords;
  /** The prefix of the installation's subjects; `*` for a server that several installations share. */
  readonly prefix: string;
  /**
   * The password of a user `test`, who has all rights in a separate account; by default there is no such user.
   */
  readonly testPassword?: string;
}

/** What a server has to know about its cluster. */
export interface ClusterMember {
  readonly name: string;
  readonly routePort: number;
  /** The route ports of the other members; JetStream derives the size of the cluster from their number. */
  readonly otherRoutePorts: readonly number[];
  /** The password with which members authenticate to each other. */
  readonly password: string;
}

export interface NatsConfigOptions {
  readonly port: number;
  readonly storeDir: string;
  readonly access: NatsAccess;
  readonly member?: ClusterMember;
}

/** Renders the configuration of a server on this machine. The configuration contains passwords. */
export function renderNatsConfig({ port, storeDir, access, member }: NatsConfigOptions): string {
  const { passwords, prefix, testPassword } = access;
  return [
    `server_name: ${member?.name ?? 'daycare'}`,
    `listen: "127.0.0.1:${port}"`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
    ...(member ? renderCluster(member) : []),
    ...serviceNames.map((name) => `${passwordVariable(name)}: ${quote(passwords[name])}`),
    testPassword === undefined
      ? renderAccounts(prefix)
      : withTestAccount(renderAccounts(prefix), testPassword),
  ].join('\n');
}

function renderCluster({ routePort, otherRoutePorts, password }: ClusterMember): string[] {
  const routes = otherRoutePorts.map((port) => `"nats://route:${password}@127.0.0.1:${port}"`);
  return [
    'cluster {',
    '  name: daycare',
    `  listen: "127.0.0.1:${routePort}"`,
    `  authorization { user: route, password: ${quote(password)} }`,
    `  routes: [${routes.join(', ')}]`,
    '}',
  ];
}

function withTestAccount(accounts: string, password: string): string {
  const account = `  test { jetstream: enabled, users: [{ user: test, password: ${quote(password)} }] }`;
  return accounts.replace('accounts {', `accounts {\n${account}`);
}

/** Quotes a password, because one that consists of digits would otherwise be read as a number. */
function quote(text: string): string {
  return JSON.stringify(text);
}
