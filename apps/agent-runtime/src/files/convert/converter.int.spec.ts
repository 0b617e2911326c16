import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { buildConvertProgram } from '../../test-support/files/convert-program';
import { inflatingPdf, samplePdf, samplePng } from '../../test-support/files/sample-files';
import { openTestFiles, type TestFiles } from '../../test-support/test-files';
import { imageSize } from '../domain/image-size';
import { makeAttachFile } from '../usecases/attach-file';
import { makeLoadImages } from '../usecases/load-images';
import { makeReadAttachment } from '../usecases/read-attachment';
import { makeConverter, type Converter } from './converter';

let test: TestFiles;
let built: Awaited<ReturnType<typeof buildConvertProgram>>;
let convert: Converter;
const warnings: object[] = [];
const log = { warn: (fields: object) => void warnings.push(fields) };

beforeAll(async () => {
  [test, built] = await Promise.all([openTestFiles(), buildConvertProgram()]);
  convert = makeConverter({ program: built.program, log });
});
afterAll(async () => {
  await built.remove();
  await test.close();
});

const scale = { kind: 'image', maxEdge: 1_568, maxPixels: 1_200_000, maxBytes: 262_144 } as const;
const inChunks = async function* (content: Buffer) {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000);
};
const openedFile = (chunks: AsyncIterable<Buffer>) => ({ file: { id: 'f1' }, chunks });
const run = (content: Buffer, conversion: Parameters<Converter>[1] = scale) =>
  convert('owner', conversion, openedFile(inChunks(content)));
const sizeOf = (jpeg: Buffer | undefined) => jpeg && imageSize(jpeg, 'image/jpeg');

describe('scaling an image', () => {
  it('an image becomes a JPEG that is no larger than the provider accepts', async () => {
    expect(sizeOf(await run(samplePng(3_000, 2_000)))).toEqual({ width: 1_341, height: 894 });
    expect(sizeOf(await run(samplePng(300, 200)))).toEqual({ width: 300, height: 200 });
    const tiny = await run(samplePng(1, 1), { ...scale, maxEdge: 1, maxPixels: 1 });
    expect(sizeOf(tiny)).toEqual({ width: 1, height: 1 });
  });

  it('an image that hardly compresses is scaled down until it fits', async () => {
    const { default: sharp } = await import('sharp');
    const raw = { width: 1_500, height: 800, channels: 3 } as const;
    const noise = await sharp(randomBytes(raw.width * raw.height * 3), { raw })
      .png()
      .toBuffer();
    const jpeg = await run(noise);
    expect(jpeg?.length).toBeLessThanOrEqual(scale.maxBytes);
    expect(sizeOf(jpeg)?.width).toBeGreaterThan(300);
  });

  it('a photo is rotated upright', async () => {
    const { default: sharp } = await import('sharp');
    const turned = await sharp(samplePng(300, 200))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(sizeOf(await run(turned))).toEqual({ width: 200, height: 300 });
  });

  it.each([
    ['claims gigantic dimensions', samplePng(60_000, 60_000, 1)],
    ['would be gigantic in memory', samplePng(9_000, 9_000)],
    ['ends too early', samplePng(300, 200).subarray(0, 60)],
    ['is not an image', Buffer.from('\x89PNG\r\n\x1a\n and nothing else', 'latin1')],
    [
      'is an image of an unsupported type',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ],
    ['is empty', Buffer.alloc(0)],
    ['consists of random bytes', randomBytes(3_000_000)],
  ])('a file that %s yields no result and logs one warning', async (_, content) => {
    const count = warnings.length;
    expect(await run(content)).toBeUndefined();
    expect(warnings).toHaveLength(count + 1);
  });
});

describe('reading a PDF', () => {
  const read = { kind: 'pdf', maxCharacters: 1_000 } as const;

  it('a PDF becomes text, page by page and up to a limit', async () => {
    const text = await run(samplePdf('Hello there', 'Second'), read);
    expect(text?.toString()).toBe('[page 1 of 2]\nHello there\n[page 2 of 2]\nSecond');
    const truncated = await run(samplePdf('Hello there', 'Second'), { ...read, maxCharacters: 20 });
    const end = '[truncated: only the first 20 characters can be read]';
    expect(truncated?.toString()).toBe(`[page 1 of 2]\nHello \n${end}`);
  });

  it('a broken PDF yields no result', async () => {
    expect(await run(Buffer.from('%PDF-1.4 nothing'), read)).toBeUndefined();
  });

  it('converting a small PDF that decompresses to a gigantic size is stopped before it fills the memory', async () => {
    const bomb = await inflatingPdf(600);
    expect(bomb.length).toBeLessThan(1_000_000);
    expect(await run(bomb, read)).toBeUndefined();
    const message = expect.stringContaining('too much memory');
    expect(warnings.at(-1)).toMatchObject({ err: { message }, kind: 'pdf', fileId: 'f1' });
  });
});

describe('the child process that converts a file', () => {
  const withProgram = async (code: string, timeoutMs: number): Promise<Buffer | undefined> => {
    const program = `${built.program}.${randomBytes(4).toString('hex')}.js`;
    await writeFile(program, code);
    try {
      return await makeConverter({ program, timeoutMs, log })(
        'owner',
        scale,
        openedFile(inChunks(Buffer.alloc(9))),
      );
    } finally {
      await rm(program);
    }
  };

  it('a conversion that takes too long is killed', async () => {
    expect(await withProgram('for (;;);', 500)).toBeUndefined();
  });

  it('a conversion that uses too much memory, crashes or returns too much yields no result', async () => {
    const greedy = 'const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));';
    const endless = 'process.stdout.write(Buffer.alloc(64 * 1_048_576));';
    for (const code of [greedy, 'process.abort();', endless])
      expect(await withProgram(code, 60_000)).toBeUndefined();
  });

  it('a conversion process kills itself when its time is up, even if the replica that started it has died', async () => {
    const child = spawn(process.execPath, [built.program, JSON.stringify(scale), '300']);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('a conversion process inherits no environment variables from the service', async () => {
    const environment = await withProgram(
      'process.stdout.write(JSON.stringify(process.env));',
      60_000,
    );
    const names = Object.keys(JSON.parse(environment!.toString()));
    expect(names.filter((name) => name in process.env)).toEqual([]);
  });

  it('a conversion rejects on a database failure instead of treating the file as broken', async () => {
    const failing = async function* () {
      yield Buffer.alloc(10);
      throw new Error('connection lost');
    };
    await expect(convert('owner', scale, openedFile(failing()))).rejects.toThrow('connection lost');
  });
});

describe('a user’s files', () => {
  const user = (userId: string) => ({ userId, ownerUserId: undefined });

  it('images are converted once and then served from memory; broken images and other users’ images are omitted', async () => {
    const [ada, eve] = [test.newUser(), test.newUser()];
    const { file } = await test.upload(ada, samplePng(400, 300), { name: 'a.png' });
    const { file: broken } = await test.upload(ada, samplePng(400, 300).subarray(0, 60));
    let conversions = 0;
    const counted: Converter = (...args) => {
      conversions += 1;
      return convert(...args);
    };
    const load = makeLoadImages({ files: test.store, convert: counted });
    const wanted = [file, broken].map(({ id }) => ({ fileId: id, width: 400, height: 300 }));
    for (let round = 0; round < 3; round += 1) {
      const images = await load(user(ada), wanted);
      expect([...images.keys()]).toEqual([file.id]);
      expect(images.get(file.id)).toMatchObject({ mediaType: 'image/jpeg' });
    }
    expect(conversions).toBe(2);
    expect((await load(user(eve), wanted)).size).toBe(0);
  });

  it('an image is no longer sent once its file is deleted, even if it is cached', async () => {
    const ada = test.newUser();
    const { file } = await test.upload(ada, samplePng(40, 30), { name: 'a.png' });
    const load = makeLoadImages({ files: test.store, convert });
    const wanted = [{ fileId: file.id, width: 40, height: 30 }];
    expect((await load(user(ada), wanted)).size).toBe(1);
    await test.delete({ userId: ada, requestId: 'r1', fileId: file.id });
    expect((await load(user(ada), wanted)).size).toBe(0);
  });

  it('an attached file comes with the beginning of its text or, if it is an image, with its dimensions', async () => {
    const ada = test.newUser();
    const { file: text } = await test.upload(ada, Buffer.from('few words'), { name: 'a.txt' });
    const { file: image } = await test.upload(ada, samplePng(40, 30), { name: 'wrong.txt' });
    expect(await test.store.findMany(ada, [text.id, image.id])).toEqual([
      { ...text, text: 'few words', isWhole: true },
      { ...image, mimeType: 'image/png', dimensions: { width: 40, height: 30 } },
    ]);
  });

  it('any file can be read completely, part by part', async () => {
    const ada = test.newUser();
    const read = makeReadAttachment({ files: test.store, convert });
    const words = 'größe 漢字 👩‍🚀 '.repeat(30_000);
    const noise = randomBytes(5_000);
    const pdf = samplePdf('Hello there', 'Second');
    const expected = new Map<Buffer, readonly [string, string, number]>([
      [Buffer.from(words), ['text', words, 50_001]],
      [Buffer.from('ß漢👩‍🚀.'), ['text', 'ß漢👩‍🚀.', 1]],
      [noise, ['base64', noise.toString('base64'), 1_000]],
      [pdf, ['text', '[page 1 of 2]\nHello there\n[page 2 of 2]\nSecond', 7]],
    ]);
    for (const [content, [encoding, whole, length]] of expected) {
      const { file } = await test.upload(ada, content);
      let joined = '';
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const part = await read(user(ada), { fileId: file.id, offset, length });
        expect(part.encoding).toBe(encoding);
        expect(part.nextOffset).not.toBe(offset);
        joined += part.content;
        offset = part.nextOffset;
      }
      expect(joined === whole).toBe(true);
      const beyond = await read(user(ada), { fileId: file.id, offset: 1e9, length });
      expect(beyond).toMatchObject({ content: '', nextOffset: undefined });
    }
    const { file } = await test.upload(ada, noise);
    const range = { fileId: file.id, offset: 0, length: 10 };
    await expect(read(user(test.newUser()), range)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reading a PDF’s text in the smallest parts neither splits nor repeats a character', async () => {
    const ada = test.newUser();
    const { file } = await test.upload(ada, Buffer.from('%PDF-1.4 nothing'));
    const text = 'a👩‍🚀b';
    const convert: Converter = async () => Buffer.from(text);
    const readAttachment = makeReadAttachment({ files: test.store, convert });
    const parts: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = await readAttachment(user(ada), { fileId: file.id, offset, length: 1 });
      parts.push(part.content);
      offset = part.nextOffset;
    }
    expect(parts).toEqual(Array.from(text));
  });

  it('a PDF that cannot be converted can still be read, and its conversion is retried only after a while', async () => {
    const ada = test.newUser();
    const { file } = await test.upload(ada, Buffer.from('%PDF-1.4 nothing'));
    let conversions = 0;
    const failing: Converter = async () => void (conversions += 1);
    const deps = { files: test.store, convert: failing };
    const range = { fileId: file.id, offset: 0, length: 100 };
    const readAttachment = makeReadAttachment(deps);
    for (let round = 0; round < 2; round += 1)
      expect(await readAttachment(user(ada), range)).toMatchObject({ nextOffset: undefined });
    expect(conversions).toBe(1);
    const retryImmediately = makeReadAttachment({ ...deps, failureMs: 1 });
    await eventually(async () => (await retryImmediately(user(ada), range), conversions >= 3));
  });

  it('a file that an agent attaches is stored only once despite a retry, keeps its author’s trust, and stays while a record refers to it', async () => {
    const ada = test.newUser();
    const deps = { files: test.store, quota: test.quota, now: () => test.now };
    let id = 0;
    const attach = makeAttachFile({ ...deps, newId: () => `${ada}f${(id += 1)}` });
    const command = {
      userId: ada,
      name: 'a.txt',
      content: Buffer.from('mine'),
      isReferenced: true,
    };
    const first = await attach({ ...command, requestId: 'q1', writtenBy: 'guest' });
    const changed = { ...command, content: Buffer.from('changed since') };
    expect(await attach({ ...changed, requestId: 'q1', writtenBy: undefined })).toEqual(first);
    const kept = await test.store.findMany(ada, [first.id]);
    expect(kept).toMatchObject([{ text: 'mine', writtenBy: 'guest' }]);
    const loose = { ...command, requestId: 'q2', writtenBy: undefined, isReferenced: false };
    const unreferenced = await attach(loose);
    expect(await test.store.sizeOf(ada)).toEqual({ bytes: 8, entries: 2 });
    test.now = new Date(test.now.getTime() + 2 * 24 * 60 * 60 * 1000);
    await test.collect();
    const remaining = await test.store.findMany(ada, [first.id, unreferenced.id]);
    expect(remaining.map((file) => file.id)).toEqual([first.id]);
  });
});
