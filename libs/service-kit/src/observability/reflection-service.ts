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

/** Server reflection of the given services, in both protocol versions, for grpcurl, buf curl and the like. */
export function createReflection(services: readonly string[]): ServiceImplementation[] {
  async function* serverReflectionInfo(
    requests: AsyncIterable<ServerReflectionRequest>,
  ): AsyncIterable<ServerReflectionResponse> {
    // Loaded on the first call: few processes are ever asked, and decoding takes a tenth of the start-up time.
    const { makeAnswer } = await import('./reflection-answers.ts');
    const answer = makeAnswer(services);
    for await (const request of requests) {
      yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) };
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
