import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { accessTables } from '@daycare/contracts/access';
import { comments } from '@daycare/contracts/comments';
import { publicMethods, serviceOf } from '../rpc/public-services';

/** Renders the API reference as Markdown, for docs/api.md. */
export function renderMarkdown(): string {
  const services = Object.keys(accessTables).map(serviceOf);
  return [
    '# API',
    '',
    '<!-- Generated from proto/ by apps/gateway/src/reference; `npx jest` in apps/gateway says how to update it. -->',
    '',
    'Every RPC is `POST /<package.Service>/<Method>` at the gateway, with JSON (`curl --json`), protobuf, gRPC-Web or gRPC. `GET /openapi.json` describes',
    'the messages in full, except those of RPCs that stream requests. [clients.md](clients.md) has quick starts and explains errors, tokens and streams.',
    '',
    ...services.flatMap(renderService),
  ].join('\n');
}

function renderService(service: DescService): string[] {
  return [
    `## ${service.name}`,
    '',
    `\`${service.typeName}\`. ${comments[service.typeName] ?? ''}`.trim(),
    '',
    ...publicMethods(service).flatMap(renderMethod),
  ];
}

function renderMethod(method: DescMethod): string[] {
  const { parent, name, input, output } = method;
  const roles = accessTables[parent.typeName]?.[method.localName] ?? [];
  return [
    `### ${name}`,
    '',
    comments[`${parent.typeName}.${name}`] ?? '',
    '',
    `- Takes ${streamWord(method, 'client')}${fieldsOf(input)}`,
    `- Returns ${streamWord(method, 'server')}${fieldsOf(output)}`,
    `- Callers: ${roles.map((role) => `\`${role}\``).join(', ')}`,
    '',
  ];
}

function streamWord({ methodKind }: DescMethod, side: 'client' | 'server'): string {
  return methodKind === `${side}_streaming` || methodKind === 'bidi_streaming'
    ? 'a stream of '
    : '';
}

function fieldsOf({ fields }: DescMessage): string {
  return fields.length === 0
    ? 'nothing'
    : fields.map((field) => `\`${describeField(field)}\``).join(', ');
}

function describeField(field: DescField): string {
  return field.fieldKind === 'list' ? `${field.jsonName}[]` : field.jsonName;
}
