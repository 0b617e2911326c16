import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldChecks } from '@daycare/api';
import { checkNodeId, linksOf, memoryLimits, parseNode, renderNode, toLine } from './memory-node';

const modifiedAt = new Date('2026-11-15T10:00:00Z');
const parse = (file: string) => parseNode('tea', file, modifiedAt);
const bodyOnly = (text: string) => ({
  id: 'tea',
  title: '',
  description: '',
  parents: [],
  createdAt: modifiedAt,
  updatedAt: modifiedAt,
  text,
});

const yamlText = fc.string({
  unit: fc.constantFrom(...Array.from('-:#&*!|>\'"%@`{}[],? \n\t~a0.')),
});

describe("a memory node's file", () => {
  it('a node is stored as Markdown with front matter', () => {
    const createdAt = new Date('2026-11-14T10:00:00Z');
    const node = { title: 'Tea', description: 'What: to drink', parents: ['drinks'] };
    const file = renderNode({
      ...node,
      createdAt,
      updatedAt: modifiedAt,
      text: 'Green, [[no-milk]].',
    });
    expect(file).toBe(
      '---\ntitle: Tea\ndescription: "What: to drink"\nparents:\n  - drinks\n' +
        'createdAt: 2026-11-14T10:00:00.000Z\nupdatedAt: 2026-11-15T10:00:00.000Z\n---\n\n' +
        'Green, [[no-milk]].\n',
    );
  });

  it('a node is read back exactly as it was written', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      yamlText,
      fc.constantFrom(
        'true',
        'null',
        '~',
        '---',
        '...',
        '1e3',
        '0x1',
        '<<',
        '- a',
        '&a',
        '*a',
        '!!x',
      ),
    );
    const anyId = fc.nat().map((number) => `n-${number}`);
    const anyTime = fc.date({ noInvalidDate: true });
    fc.assert(
      fc.property(
        fc.record({
          title: anyText.map((text) => toLine(text, memoryLimits.title)),
          description: anyText.map((text) => toLine(text, memoryLimits.description)),
          parents: fc.uniqueArray(anyId, { maxLength: memoryLimits.parents }),
          createdAt: anyTime,
          updatedAt: anyTime,
          text: anyText.map((text) => text.trim()),
        }),
        (content) => {
          const links = linksOf(content.text);
          expect(parse(renderNode(content))).toEqual({ id: 'tea', ...content, links });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(['[', '{', '- ', '? ', ': ', '"', '\\', '🦊'])(
    'a node whose title and description consist of %p is read back as it was written',
    (character) => {
      const title = toLine(character.repeat(200), memoryLimits.title);
      const description = toLine(character.repeat(500), memoryLimits.description);
      const parents = Array.from({ length: 16 }, (_, index) => `${index}`.padEnd(64, '-'));
      const fields = { title, description, parents, createdAt: modifiedAt, updatedAt: modifiedAt };
      expect(parse(renderNode({ ...fields, text: '' }))).toMatchObject(fields);
    },
  );

  it('a node file written by hand can be read', () => {
    const file =
      '\uFEFF---\r\ntitle: 2026\r\nparents: drinks\r\ncreatedAt: 2026-11-14\r\n---\r\nGreen.\r\n';
    expect(parse(file)).toEqual({
      ...bodyOnly('Green.'),
      title: '2026',
      parents: ['drinks'],
      createdAt: new Date('2026-11-14T00:00:00Z'),
      links: [],
    });
  });

  it('an invalid title or description is read as empty, and invalid parents are omitted', () => {
    const fields =
      'title: [a]\ndescription: {a: b}\nparents: [../x, ok, ok, [a], Root, root]\ncreatedAt: soon';
    const parsed = parse(`---\n${fields}\n---\nGreen.`);
    expect(parsed).toMatchObject({ ...bodyOnly('Green.'), parents: ['ok', 'root'] });
  });

  it('titles, descriptions and lists of parents that are too long are truncated when a file is read', () => {
    const many = Array.from({ length: 40 }, (_, index) => `p${index}`);
    const fields = `title: ${'🦊'.repeat(300)}\ndescription: ${'d '.repeat(600)}\nparents: [${many.join()}]`;
    const { title, description, parents } = parse(`---\n${fields}\n---\n`);
    expect([Array.from(title).length, parents.length]).toEqual([200, 16]);
    expect(description.length).toBeLessThanOrEqual(500);
  });

  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghijk'.split('').map((key, index) => {
      const last = 'abcdefghij'[index] ?? '';
      return `${key}: &${key} [*${last}, *${last}, *${last}, *${last}]`;
    }),
  ];
  it.each([
    ['no front matter', 'just text'],
    ['front matter without an end', '---\ntitle: Tea\njust text'],
    ['whitespace before the front matter', ' \n---\ntitle: Tea\n---\njust text'],
    ['invalid YAML', '---\ntitle: [Tea\n---\njust text'],
    ['a list as front matter', '---\n- title\n---\njust text'],
    ['a string as front matter', '---\ntitle\n---\njust text'],
    ['the same field twice', '---\ntitle: a\ntitle: b\n---\njust text'],
    ['aliases', '---\nx: &a Tea\ntitle: *a\n---\njust text'],
    ['aliases that multiply', `---\n${bomb.join('\n')}\ntitle: Tea\n---\njust text`],
    ['a recursive alias', '---\ntitle: &a [*a]\n---\njust text'],
    ['a YAML tag', '---\ntitle: !!js/function "function () {}"\n---\njust text'],
    ['a custom YAML tag', '---\ntitle: !secret /etc/passwd\n---\njust text'],
    ['deeply nested lists', `---\ntitle: ${'['.repeat(8_000)}\n---\njust text`],
    ['deeply nested maps', `---\n${'? '.repeat(4_000)}\n---\njust text`],
    [
      'front matter that is too long',
      `---\ntitle: Tea\nnote: ${'x'.repeat(17_000)}\n---\njust text`,
    ],
    ['no content', ''],
  ])('a file with %s is read entirely as text', (_, file) => {
    expect(parse(file)).toEqual({ ...bodyOnly(file.trim()), links: [] });
  });

  it('front matter cannot pollute object prototypes', () => {
    const parsed = parse('---\n__proto__: {title: Tea}\nconstructor: x\n---\nGreen.');
    expect(parsed).toMatchObject(bodyOnly('Green.'));
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it('parsing never throws, whatever the front matter contains', () => {
    fc.assert(
      fc.property(yamlText, (yaml) => {
        expect(() => parse(`---\n${yaml}\n---\n`)).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});

describe('links in text', () => {
  it('links are the valid node ids in double brackets, without duplicates', () => {
    const text =
      '[[tea]] and [[no-milk]], [[tea]]; not [[../x]], [[A]], [tea], [[]], [[root]] or [[a b]]';
    expect(linksOf(text)).toEqual(['tea', 'no-milk']);
  });

  it('only the first 256 links are returned', () => {
    const text = Array.from({ length: 300 }, (_, index) => `[[n${index}]]`).join('');
    expect(linksOf(text)).toHaveLength(256);
  });

  it('finding links takes linear time even if the text is full of opening brackets', () => {
    expect(linksOf('[['.repeat(16_000) + '[[a'.repeat(10_000))).toEqual([]);
  });
});

describe('checkNodeId', () => {
  const check = (id: string) => () => checkNodeId(new FieldChecks(), id).done();

  it.each(['a', '0', 'tea-2', 'constructor', 'a'.repeat(64)])('accepts the node id %p', (id) => {
    expect(check(id)).not.toThrow();
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'a\0',
    'a\n',
    'A',
    '-a',
    'a.md',
    'é',
    '__root__',
    'a'.repeat(65),
  ])('rejects the node id %j', (id) => {
    expect(check(id)).toThrow('nodeId must be 1 to 64 characters of a-z, 0-9 and -');
  });

  it('rejects the id of the root', () => {
    expect(check('root')).toThrow('nodeId must not be root');
  });
});
