import { AppError } from '@daycare/errors';
import type { EndpointTarget, TargetRules } from '../domain/endpoint-target';
import type { Viewer } from '../domain/facts';
import type { DoneRequest, EndpointStore } from '../store/endpoint-store';
import type { CheckOwnAgent } from './own-agent';

/** Who calls; the signal is aborted when it has hung up. */
export interface EndpointCall {
  readonly caller: Viewer;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** What can be exposed in this installation. */
export interface ExposureRules extends TargetRules {
  /** Whether the homes of users can be reached from here. */
  readonly hasHomes: boolean;
  /** Whether there is an edge at all. */
  readonly hasEdge: boolean;
}

export interface EndpointDeps {
  readonly endpoints: EndpointStore;
  readonly checkOwnAgent: CheckOwnAgent;
  readonly rules: ExposureRules;
  /** Has every replica end the connections of an endpoint that is not what it was. */
  readonly cutConnections: (endpointId: string) => void;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** What this installation cannot do is no fault of the request. */
export function refuseUnservable(
  { hasEdge, hasHomes }: ExposureRules,
  target: EndpointTarget | undefined,
): void {
  if (!hasEdge) throw notHere('HTTP_EDGE', 'Nothing can be exposed here: there is no HTTP edge');
  if (target?.kind === 'unix' && !hasHomes)
    throw notHere('USERS_DIR', 'Sockets cannot be exposed here: the edge does not see the homes');
}

/** Throws when a request id was used before for something else. */
export function refuseReused(earlier: DoneRequest, request: DoneRequest): void {
  if (earlier.fingerprint !== request.fingerprint)
    throw new AppError('REQUEST_ID_REUSED', 'request_id was used before for another request');
}

function notHere(type: string, description: string): AppError {
  const precondition = { type, subject: 'endpoint', description };
  return new AppError('FAILED_PRECONDITION', description, { precondition });
}
