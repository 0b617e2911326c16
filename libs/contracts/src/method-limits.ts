import type { Role } from './access';

/** What a server enforces for the calls of one RPC, beyond its defaults. */
export interface MethodLimits {
  /** The largest request; for streams of requests see the server's own limit. */
  readonly maxRequestBytes?: number;
  /** Called by probes: not counted towards any rate limit. */
  readonly isProbe?: true;
  /**
   * The request field with a refresh token or a secret: calls are rate-limited per session, not per client address.
   */
  readonly refreshTokenField?: string;
}

const kb = 1_024;
const defaultBytes = 64 * kb;
/** Enough for everything that services send each other. */
const betweenServices = 1_024 * kb;
/** One text of 32,768 characters of four bytes each, and the other fields of the request. */
const withText = { maxRequestBytes: 256 * kb };

const runtime = '/daycare.agent_runtime.v1.AgentRuntimeService';
const graph = '/daycare.social_graph.v1.SocialGraphService';
const topology = '/daycare.topology.v1.TopologyService';
const identity = '/daycare.identity.v1.IdentityService';

/** The RPCs that differ from the defaults, by path. */
const exceptions: Readonly<Record<string, MethodLimits>> = {
  [`${runtime}/PostMessage`]: withText,
  [`${runtime}/ResetAgent`]: withText,
  [`${runtime}/StopTurn`]: withText,
  [`${runtime}/CreateAgent`]: withText,
  [`${runtime}/ConfigureAgent`]: withText,
  [`${runtime}/SendAgentMessage`]: withText,
  [`${runtime}/StartBackgroundAgent`]: withText,
  [`${runtime}/CreateCron`]: withText,
  [`${runtime}/UpdateCron`]: withText,
  [`${runtime}/CreateHeartbeat`]: withText,
  // Arguments of 262,144 characters.
  [`${runtime}/CallTool`]: { maxRequestBytes: 1_088 * kb },
  [`${graph}/SendFriendMessage`]: withText,
  [`${topology}/EmitSignal`]: withText,
  [`${topology}/SendChannelMessage`]: withText,
  [`${identity}/RefreshToken`]: { refreshTokenField: 'refreshToken' },
  [`${identity}/RevokeToken`]: { refreshTokenField: 'token' },
  [`${identity}/ExchangeAccessToken`]: { refreshTokenField: 'secret' },
  '/grpc.health.v1.Health/Check': { isProbe: true },
  '/grpc.health.v1.Health/Watch': { isProbe: true },
};

/** The limits of an RPC that these roles may call. */
export function limitsOf(path: string, access: readonly Role[]): RequiredSize {
  const isInternal = access.every((role) => role === 'admin' || role.startsWith('service'));
  const maxRequestBytes = isInternal ? betweenServices : defaultBytes;
  return { maxRequestBytes, ...exceptions[path] };
}

type RequiredSize = MethodLimits & Required<Pick<MethodLimits, 'maxRequestBytes'>>;

/** The paths that differ from the defaults, so that a test can check that they exist. */
export const limitedPaths: readonly string[] = Object.keys(exceptions);
