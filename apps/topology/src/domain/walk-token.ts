import { owners, type Owner, type PagedSection, type Place, type Walk } from './page-view';

// Longer than any we make; a caller's megabytes are not even decoded.
const maxLength = 16_384;

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

/** A token that says nothing to the caller. */
export function encodeWalk({ parts, places }: Walk): string {
  const listed = sections.map((name) => {
    const place = places[name];
    return place ? [place.offset, place.key] : null;
  });
  return Buffer.from(JSON.stringify([...owners.map((owner) => parts[owner]), listed])).toString(
    'base64url',
  );
}

/** Undefined when we cannot have made it. It is not signed, and no more than a place in what one may see. */
export function decodeWalk(token: string): Walk | undefined {
  if (token.length > maxLength) return undefined;
  const parsed = parseJson(Buffer.from(token, 'base64url').toString());
  if (!Array.isArray(parsed)) return undefined;
  const [scope, friends, wiring, listed] = parsed as unknown[];
  const parts = { scope, friends, wiring };
  if (!isParts(parts)) return undefined;
  if (!Array.isArray(listed) || listed.length !== sections.length) return undefined;
  const entries = sections.flatMap((name, index) => {
    const place = readPlace(listed[index]);
    return place ? [[name, place]] : [];
  });
  const walk = { parts, places: Object.fromEntries(entries) as Walk['places'] };
  return encodeWalk(walk) === token ? walk : undefined;
}

function isParts(parts: Record<Owner, unknown>): parts is Walk['parts'] {
  return owners.every((owner) => typeof parts[owner] === 'string');
}

function readPlace(value: unknown): Place | undefined {
  if (!Array.isArray(value)) return undefined;
  const [offset, key] = value as unknown[];
  const isPlace = Number.isSafeInteger(offset) && Number(offset) >= 0 && typeof key === 'string';
  return isPlace ? { offset: Number(offset), key } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
