import type { FieldChecks } from '@daycare/api';
import { parseDocument, stringify } from 'yaml';

/** A page of text that a user's agents remember, with parents and links to other nodes. */
export interface MemoryNode {
  readonly id: string;
  /** Empty when its file has none. */
  readonly title: string;
  readonly description: string;
  /** The ids of its parents, some of which may no longer exist. */
  readonly parents: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly text: string;
  /** The ids that its text links to, in order of appearance. */
  readonly links: readonly string[];
  /** The hash of its file when it was read. */
  readonly sha256?: string;
}

/** The contents of a node's file. */
export type NodeContent = Omit<MemoryNode, 'id' | 'links' | 'sha256'>;

/** Stands for the top level, as the parent of every node that names it or has no existing parent. It has no file. */
export const rootId = 'root';

export const memoryLimits = {
  title: 200,
  description: 500,
  text: 32_768,
  parents: 16,
  /** Any further links are ignored. */
  links: 256,
  /** Per node file. */
  fileBytes: 65_536,
  /** Per user. */
  nodes: 2_000,
  /** The size of all of a user's node files together. */
  totalBytes: 8 * 1_048_576,
} as const;

const idPattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
const link = /\[\[([a-z0-9][a-z0-9-]{0,63})\]\]/g;
const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const maxFrontMatterLength = 8_192;
/**
 * Matches characters that may start a nested list or map. Even a file whose title and description consist of nothing
 * else contains fewer than `maxOpeners` of them.
 */
const opener = /[[{]|[-?:](?=\s|$)/g;
const maxOpeners = 800;

/** Reports whether this is a valid node id. Only a valid id may become part of a path. */
export const isNodeId = (id: string): boolean => idPattern.test(id) && id !== rootId;

export function checkNodeId(checks: FieldChecks, id: string, field = 'nodeId'): FieldChecks {
  return checks
    .require(
      idPattern.test(id),
      field,
      'must be 1 to 64 characters of a-z, 0-9 and -, starting with a letter or digit',
    )
    .require(id !== rootId, field, `must not be ${rootId}, which is reserved for the top level`);
}

/** Collapses whitespace, so that the text is a single line wherever it is shown, and truncates it. */
export function toLine(text: string, maxLength: number): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return Array.from(line).slice(0, maxLength).join('').trim();
}

export function linksOf(text: string): readonly string[] {
  const ids = Array.from(text.matchAll(link), ([, id = '']) => id);
  return [...new Set(ids)].filter(isNodeId).slice(0, memoryLimits.links);
}

export function renderNode(node: NodeContent): string {
  const { title, description, parents, createdAt, updatedAt, text } = node;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  const fields = stringify({ title, description, parents, ...times }, { lineWidth: 0 });
  return `---\n${fields}---\n\n${text}\n`;
}

/**
 * Parses a node's file, which may have been edited by anyone. If its front matter is missing or broken, the whole file
 * is the text. Missing or invalid fields are empty, except that times default to `modifiedAt`.
 */
export function parseNode(id: string, file: string, modifiedAt: Date): MemoryNode {
  const [whole = '', yaml = ''] = frontMatter.exec(file) ?? [];
  const fields = readFields(yaml);
  const text = file.slice(fields ? whole.length : 0).trim();
  const timeOf = (field: string): Date => readTime(fields?.get(field)) ?? modifiedAt;
  return {
    id,
    title: toLine(readString(fields?.get('title')), memoryLimits.title),
    description: toLine(readString(fields?.get('description')), memoryLimits.description),
    parents: readParents(fields?.get('parents')),
    createdAt: timeOf('createdAt'),
    updatedAt: timeOf('updatedAt'),
    text,
    links: linksOf(text),
  };
}

type Fields = ReadonlyMap<unknown, unknown>;

/**
 * Reads scalars literally, so that a title may be a number, and rejects aliases and tags. Nesting is bounded
 * beforehand, because the parser recurses and a stack overflow can crash the process.
 */
function readFields(yaml: string): Fields | undefined {
  if (yaml.length > maxFrontMatterLength) return undefined;
  if ((yaml.match(opener)?.length ?? 0) > maxOpeners) return undefined;
  try {
    const document = parseDocument(yaml, { schema: 'failsafe', logLevel: 'silent' });
    if (document.errors.length + document.warnings.length > 0) return undefined;
    const fields: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
    return fields instanceof Map ? fields : undefined;
  } catch {
    // The parser throws when the text contains aliases.
    return undefined;
  }
}

const readString = (value: unknown): string => (typeof value === 'string' ? value : '');

function readParents(value: unknown): readonly string[] {
  const ids = (Array.isArray(value) ? value : [value]).map(readString);
  const valid = ids.filter((id) => isNodeId(id) || id === rootId);
  return [...new Set(valid)].slice(0, memoryLimits.parents);
}

function readTime(value: unknown): Date | undefined {
  const time = new Date(readString(value));
  return Number.isNaN(time.getTime()) ? undefined : time;
}
