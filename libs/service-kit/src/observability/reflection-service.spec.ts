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

type Question = NonNullable<ServerReflectionRequest['messageRequest']>;

async function ask(
  question: Question | undefined,
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
    call.write({ host: '', messageRequest: question });
    call.end();
    const answers: ServerReflectionResponse[] = [];
    for await (const response of call) answers.push(response as ServerReflectionResponse);
    expect(answers).toHaveLength(1);
    return answers[0]?.messageResponse;
  } finally {
    client.close();
    await server.drain(0);
  }
}

function fileNames(answer: ServerReflectionResponse['messageResponse']): string[] {
  if (answer?.$case !== 'fileDescriptorResponse') return [];
  return answer.value.fileDescriptorProto.map(
    (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
  );
}

describe('reflection', () => {
  it.each([ServerReflectionService, ServerReflectionAlphaService])(
    'lists the services of the server',
    async (version) => {
      const answer = await ask({ $case: 'listServices', value: '' }, version);
      expect(answer).toEqual({
        $case: 'listServicesResponse',
        value: { service: [{ name: identity }] },
      });
    },
  );

  it.each([identity, `${identity}.CreateUser`, 'daycare.identity.v1.CreateUserRequest.name'])(
    'finds the file that declares %s, and its imports',
    async (symbol) => {
      const names = fileNames(await ask({ $case: 'fileContainingSymbol', value: symbol }));
      expect(names[0]).toBe('daycare/identity/v1/identity_service.proto');
      expect(names).toContain('daycare/identity/v1/user.proto');
      expect(names).toContain('google/protobuf/timestamp.proto');
    },
  );

  it('finds a file by its name', async () => {
    const value = 'daycare/identity/v1/user.proto';
    expect(fileNames(await ask({ $case: 'fileByFilename', value }))[0]).toBe(value);
  });

  it.each<Question | undefined>([
    { $case: 'fileContainingSymbol', value: 'daycare.nowhere.v1.Nothing' },
    { $case: 'fileByFilename', value: 'nothing.proto' },
    { $case: 'allExtensionNumbersOfType', value: 'nothing' },
    { $case: 'fileContainingExtension', value: { containingType: 'x', extensionNumber: 1 } },
    undefined,
  ])('answers %p with an error without ending the stream', async (question) => {
    expect((await ask(question))?.$case).toBe('errorResponse');
  });
});
