import { decodeJsonToken, encodeJsonToken } from '@daycare/api';
import {
  pagedSources,
  type PagedSection,
  type PagedSource,
  type SectionPosition,
  type TopologyCursor,
} from './page-view';

/** Longer than any token made here, so that huge input is refused before it is decoded. */
const maxLength = 16_384;

/** The order of the positions in a token. */
const sections: readonly PagedSection[] = [
  'agents',
  'crons',
  'heartbeats',
  'friends',
  'requests',
  'subscriptions',
  'channels',
  'endpoints',
  'subusers',
];

/** Encodes the cursor as an opaque page token. */
export function encodeCursor({ sourceTokens, positions }: TopologyCursor): string {
  const listed = sections.map((name) => {
    const position = positions[name];
    return position ? [position.offset, position.key] : null;
  });
  const tokens = pagedSources.map((source) => sourceTokens[source]);
  return encodeJsonToken([...tokens, listed]);
}

/**
 * Returns undefined unless `encodeCursor` could have made the token. Tokens are not signed, because a forged
 * token grants no access: it only selects another position in the caller's own view.
 */
export function decodeCursor(token: string): TopologyCursor | undefined {
  const parsed = decodeJsonToken(token, maxLength);
  if (!Array.isArray(parsed)) return undefined;
  const [scope, friends, wiring, listed] = parsed as unknown[];
  const sourceTokens = { scope, friends, wiring };
  if (!areTokens(sourceTokens)) return undefined;
  if (!Array.isArray(listed) || listed.length !== sections.length) return undefined;
  const entries = sections.flatMap((name, index) => {
    const position = readPosition(listed[index]);
    return position ? [[name, position]] : [];
  });
  const positions = Object.fromEntries(entries) as TopologyCursor['positions'];
  const cursor = { sourceTokens, positions };
  return encodeCursor(cursor) === token ? cursor : undefined;
}

function areTokens(tokens: Record<PagedSource, unknown>): tokens is TopologyCursor['sourceTokens'] {
  return pagedSources.every((source) => typeof tokens[source] === 'string');
}

function readPosition(value: unknown): SectionPosition | undefined {
  if (!Array.isArray(value)) return undefined;
  const [offset, key] = value as unknown[];
  const isValid = Number.isSafeInteger(offset) && Number(offset) >= 0 && typeof key === 'string';
  return isValid ? { offset: Number(offset), key } : undefined;
}
