import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { AppError } from '@daycare/api';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { setHeaders } from '../http/gateway-request';
import { respondError } from '../http/respond-error';
import type { Route } from '../http/start-gateway';
import { buildOpenApi } from './openapi';
import { pagePolicy, renderPage } from './page';

interface Document {
  readonly type: string;
  readonly policy?: string;
  readonly render: () => string | Uint8Array;
}

/** The descriptions of the API; each is built on its first request. */
const documents: Readonly<Record<string, Document>> = {
  '/openapi.json': { type: 'application/json', render: () => JSON.stringify(buildOpenApi()) },
  '/reference': { type: 'text/html; charset=utf-8', policy: pagePolicy, render: renderPage },
  // For programs that build their messages at run time, such as examples/quickstart/quickstart.py.
  '/descriptors.binpb': {
    type: 'application/protobuf',
    render: () => toBinary(FileDescriptorSetSchema, descriptorSet()),
  },
};

export function makeReferenceRoutes(): (path: string) => Route | undefined {
  const built = new Map<string, string | Uint8Array>();
  return (path) => {
    const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
    return document && routeOf(document, path, built);
  };
}

function routeOf(
  { type, policy, render }: Document,
  path: string,
  built: Map<string, string | Uint8Array>,
): Route {
  return async (request, response, { refusal }) => {
    if (refusal) return respondError(request, response, refusal);
    if (request.method !== 'GET')
      return respondError(
        request,
        response,
        new AppError('UNIMPLEMENTED', 'This path supports only GET'),
      );
    const body = built.get(path) ?? render();
    built.set(path, body);
    setHeaders(response, {
      'content-type': type,
      'cache-control': 'no-cache',
      ...(policy && { 'content-security-policy': policy }),
    });
    (response.end as (body: string | Uint8Array) => void).call(response, body);
  };
}
