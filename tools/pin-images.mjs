/**
 * Pins the images in Dockerfile and docker-compose.yml to the digests that their tags have now, so that every build
 * uses the same bytes. Needs docker and access to the registries. With `--check` it only lists the images that are not
 * pinned, and fails if there are any.
 * Usage: node tools/pin-images.mjs [--check]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');
const files = ['Dockerfile', 'docker-compose.yml'];
const reference = /^(ARG NODE_IMAGE=|\s*image: )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm;

/** Returns the images that are named in the text of a file, and whether each is pinned. */
export function imagesIn(text) {
  return Array.from(text.matchAll(reference), ([, , image, digest]) => ({
    image,
    isPinned: digest !== undefined,
  }));
}

/** Returns the text with every image pinned to the digest that `digestOf` returns. */
export function pin(text, digestOf) {
  return text.replaceAll(reference, (_, before, image) => `${before}${image}@${digestOf(image)}`);
}

function digestOf(image) {
  const inspect = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', image];
  const { status, stdout, stderr } = spawnSync('docker', inspect, { encoding: 'utf8' });
  const digest = stdout?.trim() ?? '';
  if (status === 0 && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(
    `the digest of ${image} cannot be read: ${stderr?.trim() || 'is docker installed?'}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isCheck = process.argv.includes('--check');
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const unpinned = imagesIn(text).filter(({ isPinned }) => !isPinned);
    for (const { image } of isCheck ? unpinned : [])
      console.error(`${file}: ${image} is not pinned`);
    if (isCheck) process.exitCode ||= unpinned.length > 0 ? 1 : 0;
    else writeFileSync(join(root, file), pin(text, digestOf));
  }
}
