import {
  ServerReflectionAlphaService,
  ServerReflectionService,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@daycare/contracts/reflection';
import { implementService, type ServiceImplementation } from '@daycare/rpc';

/** Where reflection is enabled, anyone may use it. */
const rules = {
  roles: { serverReflectionInfo: ['anyone'] },
  scopes: { serverReflectionInfo: 'any' },
} as const;

/** Implements reflection for these services, in both protocol versions, for grpcurl, buf curl and the like. */
export function createReflection(services: readonly string[]): ServiceImplementation[] {
  async function* serverReflectionInfo(
    requests: AsyncIterable<ServerReflectionRequest>,
  ): AsyncIterable<ServerReflectionResponse> {
    // Loaded on the first call, because few processes ever receive one, and decoding would take a tenth of the time to
    // start.
    const { makeRespond } = await import('./reflection-responses.ts');
    const respond = makeRespond(services);
    for await (const request of requests) {
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: respond(request),
      };
    }
  }
  return [
    implementService('grpc.reflection.v1.ServerReflection', ServerReflectionService, rules, {
      serverReflectionInfo,
    }),
    implementService(
      'grpc.reflection.v1alpha.ServerReflection',
      ServerReflectionAlphaService,
      rules,
      {
        serverReflectionInfo,
      },
    ),
  ];
}
