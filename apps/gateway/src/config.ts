import { readServiceConfig, type EnvReader, type ServiceConfig } from '@daycare/service-kit';
import { readHttpConfig, type HttpConfig } from './http/http-config';
import type { UpstreamAddresses } from './rpc/upstreams';

export interface Config extends ServiceConfig {
  /** The services that calls are forwarded to. */
  readonly upstreams: UpstreamAddresses;
  readonly http: HttpConfig;
}

export function readConfig(env: EnvReader): Config {
  return env.done({
    ...readServiceConfig(env),
    upstreams: {
      identity: env.target('DAYCARE_IDENTITY_ADDRESS'),
      'social-graph': env.target('DAYCARE_SOCIAL_GRAPH_ADDRESS'),
      'agent-runtime': env.target('DAYCARE_AGENT_RUNTIME_ADDRESS'),
      topology: env.target('DAYCARE_TOPOLOGY_ADDRESS'),
    },
    http: readHttpConfig(env),
  });
}
