import { ScalarType, type DescField, type DescMessage, type DescMethod } from '@bufbuild/protobuf';
import { comments } from '@daycare/contracts/comments';
import { accessTables } from '@daycare/contracts/access';
import { publicMethods, serviceOf } from '../rpc/public-services';

type Schema = Readonly<Record<string, unknown>>;

/** Describes, in OpenAPI 3.1, every public RPC that takes one request, and the routes of files. */
export function buildOpenApi(): Schema {
  const schemas = new Map<string, Schema>();
  const methods = Object.keys(accessTables).flatMap((name) => publicMethods(serviceOf(name)));
  const offeredMethods = methods.filter(({ methodKind }) => !/client|bidi/.exec(methodKind));
  const paths = offeredMethods.map((method) => [
    pathOf(method),
    { post: operationOf(method, schemas) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daycare',
      version: '1',
      description: 'Public RPCs that take one request, as HTTP with JSON.',
    },
    paths: { ...Object.fromEntries(paths), ...filePaths },
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }, {}],
  };
}

const pathOf = ({ parent, name }: DescMethod): string => `/${parent.typeName}/${name}`;

function operationOf(method: DescMethod, schemas: Map<string, Schema>): Schema {
  const isStream = method.methodKind === 'server_streaming';
  const type = isStream ? 'application/connect+json' : 'application/json';
  const schema = refTo(method.output, schemas);
  const about = isStream ? 'A stream of envelopes, each with one message' : 'The response';
  return {
    operationId: `${method.parent.name}_${method.name}`,
    tags: [method.parent.name],
    description: comments[`${method.parent.typeName}.${method.name}`] ?? '',
    requestBody: { required: true, content: { [type]: { schema: refTo(method.input, schemas) } } },
    responses: {
      '200': { description: about, content: { [type]: { schema } } },
      default: {
        description: 'An error',
        content: { 'application/json': { schema: errorSchema } },
      },
    },
  };
}

const errorSchema: Schema = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'As Connect names it, e.g. `not_found`' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object', description: 'A google.rpc message' } },
  },
};

/** The routes of `src/files/`. */
const filePaths: Schema = {
  '/files': {
    post: {
      operationId: 'uploadFile',
      tags: ['Files'],
      description:
        "Stores the body as one of the caller's files. With `x-request-id`, the request is safe to retry.",
      parameters: ['name', 'sha256'].map((name) => ({
        name,
        in: 'query',
        required: name === 'name',
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { '*/*': {} } },
      responses: { '200': { description: 'UploadFileResponse' } },
    },
  },
  '/files/{fileId}': {
    get: {
      operationId: 'downloadFile',
      tags: ['Files'],
      description: "Returns one of the caller's files as an attachment.",
      parameters: [{ name: 'fileId', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'The content', content: { '*/*': {} } } },
    },
  },
};

function refTo(message: DescMessage, schemas: Map<string, Schema>): Schema {
  const wellKnownSchema = wellKnown[message.typeName];
  if (wellKnownSchema) return wellKnownSchema;
  if (!schemas.has(message.typeName)) {
    // Set first, because a message may contain itself.
    schemas.set(message.typeName, {});
    schemas.set(message.typeName, messageSchema(message, schemas));
  }
  return { $ref: `#/components/schemas/${message.typeName}` };
}

function messageSchema(message: DescMessage, schemas: Map<string, Schema>): Schema {
  const properties = message.fields.map((field) => [
    field.jsonName,
    { ...fieldSchema(field, schemas), ...describe(`${message.typeName}.${field.name}`) },
  ]);
  return {
    type: 'object',
    ...describe(message.typeName),
    properties: Object.fromEntries(properties) as Schema,
  };
}

function describe(name: string): { description?: string } {
  const description = comments[name];
  return description === undefined ? {} : { description };
}

function fieldSchema(field: DescField, schemas: Map<string, Schema>): Schema {
  switch (field.fieldKind) {
    case 'message':
      return refTo(field.message, schemas);
    case 'enum':
      return enumSchema(field.enum);
    case 'scalar':
      return scalarSchema(field.scalar);
    case 'list':
      return { type: 'array', items: elementSchema(field, schemas) };
    case 'map':
      return { type: 'object', additionalProperties: elementSchema(field, schemas) };
  }
}

function elementSchema(
  field: Extract<DescField, { fieldKind: 'list' | 'map' }>,
  schemas: Map<string, Schema>,
): Schema {
  if (field.message) return refTo(field.message, schemas);
  return field.enum ? enumSchema(field.enum) : scalarSchema(field.scalar);
}

function enumSchema({ values }: { values: readonly { name: string }[] }): Schema {
  return { type: 'string', enum: values.map(({ name }) => name) };
}

/** Protobuf's JSON format writes 64-bit numbers as strings. */
function scalarSchema(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: 'number' };
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
    case ScalarType.SINT64:
      return { type: 'string', format: 'int64' };
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
    case ScalarType.SINT32:
      return { type: 'integer' };
  }
}

const wellKnown: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string' },
};
