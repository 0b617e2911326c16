import { encodePageToken, FieldChecks, isTime, type PageCursor, readPageToken } from '@daycare/api';
import type { Endpoint } from '../../domain/endpoints/endpoint';
import type { EndpointPosition, EndpointStore } from '../../store/endpoint-store';

export interface ListEndpointsCall {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface EndpointPage {
  readonly endpoints: readonly Endpoint[];
  readonly nextPageToken: string;
}

/** Lists the caller's endpoints, oldest first. */
export function makeListEndpoints({ endpoints }: { readonly endpoints: EndpointStore }) {
  return async ({ userId, pageSize, pageToken }: ListEndpointsCall): Promise<EndpointPage> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, readCursor);
    checks.done();
    const found = await endpoints.list(userId, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextPageToken = last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
    return { endpoints: page, nextPageToken };
  };
}

function readCursor([time, id, ...rest]: PageCursor): EndpointPosition | undefined {
  const isValid = isTime(time) && typeof id === 'string' && rest.length === 0;
  return isValid ? { createdAt: new Date(time), id } : undefined;
}
