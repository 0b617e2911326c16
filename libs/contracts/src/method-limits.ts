import type { Role } from './access';

/** The limits that a server enforces for calls to one RPC, where they differ from its defaults. */
export interface MethodLimits {
  /** The maximum size of a request; messages in a request stream are subject to the server's own limit. */
  readonly maxRequestBytes?: number;
  /** Whether probes make these calls, which are then not counted towards any rate limit. */
  readonly isProbe?: true;
  /**
   * The request field with a refresh token or another secret. Anonymous calls are then rate-limited by the session to
   * which the secret belongs; the limit for the client's address is much higher.
   */
  readonly secretField?: string;
}

const kib = 1_024;
const defaultMaxBytes = 64 * kib;
/** Enough for everything that services send each other. */
const internalMaxBytes = 1_024 * kib;
/** For 32,768 characters of text at four bytes each, plus the request's other fields. */
const textLimits = { maxRequestBytes: 256 * kib };

const runtime = '/daycare.agent_runtime.v1.AgentRuntimeService';
const graph = '/daycare.social_graph.v1.SocialGraphService';
const topology = '/daycare.topology.v1.TopologyService';
const identity = '/daycare.identity.v1.IdentityService';

/** The limits that differ from the defaults, by the path of the RPC. */
const exceptions: Readonly<Record<string, MethodLimits>> = {
  [`${runtime}/PostMessage`]: textLimits,
  [`${runtime}/ResetAgent`]: textLimits,
  [`${runtime}/StopTurn`]: textLimits,
  [`${runtime}/CreateAgent`]: textLimits,
  [`${runtime}/ConfigureAgent`]: textLimits,
  [`${runtime}/SendAgentMessage`]: textLimits,
  [`${runtime}/StartBackgroundAgent`]: textLimits,
  [`${runtime}/CreateCron`]: textLimits,
  [`${runtime}/UpdateCron`]: textLimits,
  [`${runtime}/CreateHeartbeat`]: textLimits,
  // Tool arguments may be up to 262,144 characters long.
  [`${runtime}/CallTool`]: { maxRequestBytes: 1_088 * kib },
  [`${graph}/SendFriendMessage`]: textLimits,
  [`${topology}/EmitSignal`]: textLimits,
  [`${topology}/SendChannelMessage`]: textLimits,
  [`${identity}/RefreshToken`]: { secretField: 'refreshToken' },
  [`${identity}/RevokeToken`]: { secretField: 'token' },
  [`${identity}/ExchangeAccessToken`]: { secretField: 'secret' },
  '/grpc.health.v1.Health/Check': { isProbe: true },
  '/grpc.health.v1.Health/Watch': { isProbe: true },
};

/** Returns the limits for an RPC that these roles may call. */
export function limitsOf(path: string, access: readonly Role[]): LimitsWithSize {
  const isInternal = access.every((role) => role === 'admin' || role.startsWith('service'));
  const maxRequestBytes = isInternal ? internalMaxBytes : defaultMaxBytes;
  return { maxRequestBytes, ...exceptions[path] };
}

type LimitsWithSize = MethodLimits & Required<Pick<MethodLimits, 'maxRequestBytes'>>;

/** The paths of the RPCs above, so that a test can check that they exist. */
export const limitedPaths: readonly string[] = Object.keys(exceptions);
