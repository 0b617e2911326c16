import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';
import { accessTables, isPublic } from '@daycare/contracts/access';
import { startTestGateway } from '../test-support/test-gateway';
import { renderMarkdown } from './markdown';

const file = resolve(__dirname, '../../../../docs/api.md');

it('docs/api.md matches proto/; run this test with UPDATE_API_DOCS=1 to update it', () => {
  const rendered = renderMarkdown();
  if (process.env['UPDATE_API_DOCS'] === '1') writeFileSync(file, rendered);
  expect(readFileSync(file, 'utf8')).toBe(rendered);
});

describe('the gateway’s reference', () => {
  it('GET /openapi.json describes every public RPC that takes one request, with its comment, and no others', async () => {
    const { url } = await startTestGateway();
    const response = await fetch(`${url}/openapi.json`);
    const { paths } = (await response.json()) as {
      paths: Record<string, { post?: { description: string } }>;
    };
    const streams = ['sendFriendMessages', 'uploadFile'];
    const offered = Object.entries(accessTables).flatMap(([service, table]) =>
      Object.entries(table)
        .filter(([name, roles]) => isPublic(roles) && !streams.includes(name))
        .map(([name]) => `/${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`),
    );
    const described = Object.keys(paths).filter((path) => path.startsWith('/daycare.'));
    expect(described.sort()).toEqual(offered.sort());
    const undocumented = described.filter((path) => !paths[path]?.post?.description);
    expect(undocumented).toEqual([]);
  });

  it('GET /reference returns a page without scripts, whose policy allows only its own style', async () => {
    const { url } = await startTestGateway();
    const response = await fetch(`${url}/reference`);
    const text = await response.text();
    expect(text).toContain('CreateUser');
    expect(text).not.toMatch(/<script|\son\w+=|javascript:/i);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
  });

  it('GET /descriptors.binpb returns the descriptors of every public RPC', async () => {
    const { url } = await startTestGateway();
    const response = await fetch(`${url}/descriptors.binpb`);
    const set = fromBinary(FileDescriptorSetSchema, new Uint8Array(await response.arrayBuffer()));
    const registry = createFileRegistry(set);
    for (const [service, table] of Object.entries(accessTables)) {
      const described = registry.getService(service)?.methods.map(({ localName }) => localName);
      const offered = Object.entries(table).filter(([, roles]) => isPublic(roles));
      expect(described).toEqual(expect.arrayContaining(offered.map(([name]) => name)));
    }
  });
});
