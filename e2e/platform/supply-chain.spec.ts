import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(__dirname, '../..');
const tool = (name: string): Promise<Record<string, never>> =>
  import(join(root, 'tools', name)) as Promise<Record<string, never>>;

describe('licences', () => {
  it('the licence check refuses a package without a licence or with one that is not listed', async () => {
    const { findRefused } = (await tool('check-licences.mjs')) as unknown as {
      findRefused: (packages: object) => string[];
    };
    const refused = findRefused({
      '': { license: 'UNLICENSED' },
      'node_modules/good': { license: '(MIT OR GPL-3.0)' },
      'node_modules/both': { license: 'MIT AND GPL-3.0' },
      'node_modules/a/node_modules/@b/none': {},
      'node_modules/@img/sharp-libvips-linux-x64': { license: 'LGPL-3.0-or-later' },
      'node_modules/other': { license: 'LGPL-3.0-or-later' },
    });
    expect(refused).toEqual(['both: MIT AND GPL-3.0', '@b/none: none', 'other: LGPL-3.0-or-later']);
  });
});

describe('images', () => {
  const digest = `sha256:${'0'.repeat(64)}`;

  it('every image in Dockerfile and docker-compose.yml can be pinned, and pinning it again adds no second digest', async () => {
    const { imagesIn, pin } = (await tool('pin-images.mjs')) as unknown as {
      imagesIn: (text: string) => { image: string; isPinned: boolean }[];
      pin: (text: string, digestOf: (image: string) => string) => string;
    };
    const text = ['Dockerfile', 'docker-compose.yml']
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const names = imagesIn(text).map(({ image }) => image.replace(/:.*/, ''));
    expect(names).toEqual(['node', 'grafana/grafana', 'mongo', 'nats', 'prom/prometheus']);
    const pinned = pin(
      pin(text, () => digest),
      () => digest,
    );
    expect(imagesIn(pinned).every(({ isPinned }) => isPinned)).toBe(true);
    expect(pinned.split(`@${digest}`)).toHaveLength(names.length + 1);
  });
});
