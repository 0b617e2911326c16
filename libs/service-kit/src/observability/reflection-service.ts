import { toBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '@daycare/contracts/descriptors';
import {
  ServerReflectionAlphaService,
  ServerReflectionService,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '@daycare/contracts/reflection';
import { grpcStatusOf } from '@daycare/api';
import { implementService, type ServiceImplementation } from '@daycare/rpc';

/** Where reflection is enabled, anyone may use it. */
const rules = {
  roles: { serverReflectionInfo: ['anyone'] },
  scopes: { serverReflectionInfo: 'any' },
} as const;

type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;

/** Server reflection of the given services, in both protocol versions, for grpcurl, buf curl and the like. */
export function createReflection(services: readonly string[]): ServiceImplementation[] {
  const files = indexFiles();
  async function* serverReflectionInfo(
    requests: AsyncIterable<ServerReflectionRequest>,
  ): AsyncIterable<ServerReflectionResponse> {
    for await (const request of requests) {
      const messageResponse = answer(files, services, request);
      yield { validHost: request.host, originalRequest: request, messageResponse };
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

interface FileIndex {
  readonly byName: ReadonlyMap<string, FileDescriptorProto>;
  readonly bySymbol: ReadonlyMap<string, FileDescriptorProto>;
}

function indexFiles(): FileIndex {
  const { file: files } = descriptorSet();
  const bySymbol = new Map<string, FileDescriptorProto>();
  for (const file of files) for (const symbol of symbolsOf(file)) bySymbol.set(symbol, file);
  return { byName: new Map(files.map((file) => [file.name, file])), bySymbol };
}

function* symbolsOf(file: FileDescriptorProto): Iterable<string> {
  const scope = file.package === '' ? '' : `${file.package}.`;
  for (const { name } of file.enumType) yield scope + name;
  for (const message of file.messageType) yield* messageSymbols(scope, message);
  for (const service of file.service) {
    yield scope + service.name;
    for (const method of service.method) yield `${scope}${service.name}.${method.name}`;
  }
}

function* messageSymbols(scope: string, message: DescriptorProto): Iterable<string> {
  const name = scope + message.name;
  yield name;
  for (const field of message.field) yield `${name}.${field.name}`;
  for (const nested of message.enumType) yield `${name}.${nested.name}`;
  for (const nested of message.nestedType) yield* messageSymbols(`${name}.`, nested);
}

function answer(
  files: FileIndex,
  services: readonly string[],
  { messageRequest: asked }: ServerReflectionRequest,
): Answer {
  switch (asked?.$case) {
    case 'listServices':
      return {
        $case: 'listServicesResponse',
        value: { service: services.map((name) => ({ name })) },
      };
    case 'fileByFilename':
      return fileAnswer(files, files.byName.get(asked.value));
    case 'fileContainingSymbol':
      return fileAnswer(files, files.bySymbol.get(asked.value));
    case 'allExtensionNumbersOfType':
      return files.bySymbol.has(asked.value)
        ? extensionNumbers(asked.value)
        : failure('NOT_FOUND', 'Type not found');
    case 'fileContainingExtension':
      return failure('NOT_FOUND', 'Extension not found');
    case undefined:
      return failure('INVALID_ARGUMENT', 'message_request is required');
  }
}

function fileAnswer(files: FileIndex, file: FileDescriptorProto | undefined): Answer {
  if (!file) return failure('NOT_FOUND', 'File or symbol not found');
  const fileDescriptorProto = withImports(files, file).map((each) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, each)),
  );
  return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

/** A file and everything it imports, the file first, so that a client needs one request. */
function withImports(files: FileIndex, file: FileDescriptorProto): FileDescriptorProto[] {
  const found = new Set([file]);
  for (const each of found) {
    for (const name of each.dependency) {
      const imported = files.byName.get(name);
      if (imported) found.add(imported);
    }
  }
  return [...found];
}

function extensionNumbers(baseTypeName: string): Answer {
  return {
    $case: 'allExtensionNumbersResponse',
    value: { baseTypeName, extensionNumber: [] },
  };
}

function failure(code: 'NOT_FOUND' | 'INVALID_ARGUMENT', errorMessage: string): Answer {
  return { $case: 'errorResponse', value: { errorCode: grpcStatusOf[code], errorMessage } };
}
