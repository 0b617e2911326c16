import {
  encodePageToken,
  FieldChecks,
  isTime,
  type PageCursor,
  readPageToken,
} from '@daycare/errors';
import type { Endpoint } from '../domain/endpoint';
import type { EndpointPlace, EndpointStore } from '../store/endpoint-store';

export interface ListEndpointsCall {
  readonly userId: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface EndpointPage {
  readonly endpoints: readonly Endpoint[];
  readonly nextPageToken: string;
}

/** The caller's endpoints, oldest first. */
export function makeListEndpoints({ endpoints }: { readonly endpoints: EndpointStore }) {
  return async ({ userId, pageSize, pageToken }: ListEndpointsCall): Promise<EndpointPage> => {
    const checks = new FieldChecks();
    const limit = checks.pageSize(pageSize);
    const after = readPageToken(pageToken, checks, readPlace);
    checks.done();
    const found = await endpoints.list(userId, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextPageToken = last ? encodePageToken([last.createdAt.getTime(), last.id]) : '';
    return { endpoints: page, nextPageToken };
  };
}

function readPlace([time, id, ...more]: PageCursor): EndpointPlace | undefined {
  const isPlace = isTime(time) && typeof id === 'string' && more.length === 0;
  return isPlace ? { createdAt: new Date(time), id } : undefined;
}
