import { join } from 'node:path';
import { readServiceConfig, type EnvReader, type ServiceConfig } from '@daycare/service-kit';
import { readHttpConfig, type HttpConfig } from './http/http-config';
import type { UpstreamAddresses } from './rpc/upstreams';

export interface Config extends ServiceConfig {
  /** The addresses of the services that calls are forwarded to. */
  readonly upstreams: UpstreamAddresses;
  readonly http: HttpConfig;
  /** The URL at which browsers reach the gateway; undefined if only browsers on this machine use it. */
  readonly publicUrl: string | undefined;
  /** Encrypts the cookies of browser sessions; undefined for a random key that is lost when the process ends. */
  readonly sessionKey: string | undefined;
  /** The folder with the built console. */
  readonly consoleFolder: string;
}

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readServiceConfig(env),
    upstreams: {
      identity: env.target('DAYCARE_IDENTITY_ADDRESS', { about: 'the address of identity' }),
      'social-graph': env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS', {
        about: 'the address of social-graph',
      }),
      'agent-runtime': env.target('DAYCARE_AGENT_RUNTIME_ADDRESS', {
        about: 'the address of agent-runtime',
      }),
      topology: env.target('DAYCARE_TOPOLOGY_ADDRESS', { about: 'the address of topology' }),
    },
    http: readHttpConfig(env),
    publicUrl: readPublicUrl(env),
    sessionKey: readSessionKey(env),
    consoleFolder: readConsoleFolder(env),
  });
}

function readConsoleFolder(env: EnvReader): string {
  const folder = env.text('DAYCARE_GATEWAY_CONSOLE_DIR', {
    default: '',
    takes: 'a directory',
    about: 'the built web console; empty for the one beside the program',
  });
  return folder === '' ? join(__dirname, 'console') : folder;
}

/**
 * Reads the public URL. It must use https unless it names this machine, because without TLS others on the network could
 * read the session's cookie.
 */
function readPublicUrl(env: EnvReader): string | undefined {
  const url = env.text('DAYCARE_GATEWAY_URL', {
    default: '',
    takes: 'a URL such as https://daycare.example',
    about:
      'the URL at which browsers reach the gateway; empty if only browsers on this machine use it',
  });
  if (url === '') return undefined;
  if (!URL.canParse(url) || !isSafeForCookies(new URL(url)))
    env.problem(
      `DAYCARE_GATEWAY_URL is "${url}", but must be a URL such as https://daycare.example (http only for this machine)`,
    );
  return url;
}

const localHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

function isSafeForCookies({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && localHosts.includes(hostname));
}

const minKeyLength = 32;

function readSessionKey(env: EnvReader): string | undefined {
  const key = env.secret('DAYCARE_GATEWAY_SESSION_KEY', {
    default: '',
    takes: `at least ${minKeyLength} characters`,
    about:
      'encrypts the cookies of browser sessions; without it, sessions end with the process. All replicas need the same key',
  });
  if (key === '') return undefined;
  if (key.length < minKeyLength)
    env.problem(`DAYCARE_GATEWAY_SESSION_KEY must have at least ${minKeyLength} characters`);
  return key;
}
