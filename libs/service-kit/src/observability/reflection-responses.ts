import { toBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { grpcStatusOf } from '@daycare/api';
import { descriptorSet } from '@daycare/contracts/descriptors';
import type {
  ServerReflectionRequest,
  ServerReflectionResponse,
} from '@daycare/contracts/reflection';

type MessageResponse = NonNullable<ServerReflectionResponse['messageResponse']>;

/** Returns a function that responds to reflection requests for these services. Decodes all of proto/. */
export function makeRespond(services: readonly string[]) {
  const files = indexFiles();
  return (request: ServerReflectionRequest): MessageResponse => respond(files, services, request);
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

function respond(
  files: FileIndex,
  services: readonly string[],
  { messageRequest: query }: ServerReflectionRequest,
): MessageResponse {
  switch (query?.$case) {
    case 'listServices':
      return {
        $case: 'listServicesResponse',
        value: { service: services.map((name) => ({ name })) },
      };
    case 'fileByFilename':
      return fileResponse(files, files.byName.get(query.value));
    case 'fileContainingSymbol':
      return fileResponse(files, files.bySymbol.get(query.value));
    case 'allExtensionNumbersOfType':
      return files.bySymbol.has(query.value)
        ? extensionNumbers(query.value)
        : failure('NOT_FOUND', 'Type not found');
    case 'fileContainingExtension':
      return failure('NOT_FOUND', 'Extension not found');
    case undefined:
      return failure('INVALID_ARGUMENT', 'message_request is required');
  }
}

function fileResponse(files: FileIndex, file: FileDescriptorProto | undefined): MessageResponse {
  if (!file) return failure('NOT_FOUND', 'File or symbol not found');
  const fileDescriptorProto = withImports(files, file).map((included) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, included)),
  );
  return { $case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

/** Returns a file followed by everything it imports, so that a client needs only one request. */
function withImports(files: FileIndex, file: FileDescriptorProto): FileDescriptorProto[] {
  const included = new Set([file]);
  for (const { dependency } of included) {
    for (const name of dependency) {
      const imported = files.byName.get(name);
      if (imported) included.add(imported);
    }
  }
  return [...included];
}

function extensionNumbers(baseTypeName: string): MessageResponse {
  return {
    $case: 'allExtensionNumbersResponse',
    value: { baseTypeName, extensionNumber: [] },
  };
}

function failure(code: 'NOT_FOUND' | 'INVALID_ARGUMENT', errorMessage: string): MessageResponse {
  return { $case: 'errorResponse', value: { errorCode: grpcStatusOf[code], errorMessage } };
}
