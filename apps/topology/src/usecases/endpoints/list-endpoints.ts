import { FieldChecks, pageTokenAfter, readTimePage } from '@daycare/api';
import type { Endpoint } from '../../domain/endpoints/endpoint';
import type { EndpointStore } from '../../store/endpoint-store';

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
  return async ({ userId, ...request }: ListEndpointsCall): Promise<EndpointPage> => {
    const checks = new FieldChecks();
    const { limit, after } = readTimePage(request, checks);
    checks.done();
    const listed = await endpoints.list(userId, after, limit + 1);
    const page = listed.slice(0, limit);
    const last = listed.length > limit ? page.at(-1) : undefined;
    return { endpoints: page, nextPageToken: pageTokenAfter(last) };
  };
}
