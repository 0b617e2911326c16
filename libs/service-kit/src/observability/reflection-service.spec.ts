import { describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';
import {
  ServerReflectionAlphaService,
  ServerReflectionService,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@daycare/contracts/reflection';
import { startRpcServer } from '@daycare/rpc';
import { createReflection } from './reflection-service';

const identity = 'daycare.identity.v1.IdentityService';
const nothing = () => undefined;

type Query = NonNullable<ServerReflectionRequest['messageRequest']>;

async function send(
  query: Query | undefined,
  service:
    | typeof ServerReflectionService
    | typeof ServerReflectionAlphaService = ServerReflectionService,
): Promise<ServerReflectionResponse['messageResponse']> {
  const server = await startRpcServer({
    listen: '127.0.0.1:0',
    services: createReflection([identity]),
    pipeline: {
      authenticate: () => ({ kind: 'anonymous' }),
      limit: nothing,
      observe: nothing,
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      defaultTimeoutMs: 1_000,
    },
  });
  const client = new Client(server.address, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = service.serverReflectionInfo;
  try {
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    call.write({ host: '', messageRequest: query });
    call.end();
    const responses: ServerReflectionResponse[] = [];
    for await (const response of call) responses.push(response as ServerReflectionResponse);
    expect(responses).toHaveLength(1);
    return responses[0]?.messageResponse;
  } finally {
    client.close();
    await server.drain(0);
  }
}

function fileNames(response: ServerReflectionResponse['messageResponse']): string[] {
  if (response?.$case !== 'fileDescriptorResponse') return [];
  return response.value.fileDescriptorProto.map(
    (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
  );
}

describe('reflection', () => {
  it.each([
    ['v1', ServerReflectionService],
    ['v1alpha', ServerReflectionAlphaService],
  ] as const)("lists the server's services in version %s of the protocol", async (_, version) => {
    const response = await send({ $case: 'listServices', value: '' }, version);
    expect(response).toEqual({
      $case: 'listServicesResponse',
      value: { service: [{ name: identity }] },
    });
  });

  it.each([identity, `${identity}.CreateUser`, 'daycare.identity.v1.CreateUserRequest.name'])(
    'returns the file that declares %s, followed by its imports',
    async (symbol) => {
      const names = fileNames(await send({ $case: 'fileContainingSymbol', value: symbol }));
      expect(names[0]).toBe('daycare/identity/v1/identity_service.proto');
      expect(names).toContain('daycare/identity/v1/user.proto');
      expect(names).toContain('google/protobuf/timestamp.proto');
    },
  );

  it('returns a file by its name', async () => {
    const value = 'daycare/identity/v1/user.proto';
    expect(fileNames(await send({ $case: 'fileByFilename', value }))[0]).toBe(value);
  });

  it.each<Query | undefined>([
    { $case: 'fileContainingSymbol', value: 'daycare.nowhere.v1.Nothing' },
    { $case: 'fileByFilename', value: 'nothing.proto' },
    { $case: 'allExtensionNumbersOfType', value: 'nothing' },
    { $case: 'fileContainingExtension', value: { containingType: 'x', extensionNumber: 1 } },
    undefined,
  ])('responds to the request %p with an error and does not fail the stream', async (query) => {
    expect((await send(query))?.$case).toBe('errorResponse');
  });
});
