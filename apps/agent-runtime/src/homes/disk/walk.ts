import { mkdir } from 'node:fs/promises';
import { AppError } from '@daycare/api';
import { followLink } from '../domain/home-path';
import { explainError } from './explain-error';
import { errorCodeOf, type Pin } from './pin';

const maxLinks = 16;

type Segments = readonly string[];
type Step =
  | { readonly found: Pin }
  | { readonly link: string; readonly leadsTo: Segments | undefined };

/** An entry, and its path without links. */
export interface Located {
  readonly pin: Pin;
  readonly segments: Segments;
}

/**
 * Finds the entry a path leads to, for reading. Links are followed, since programs create them, but only inside the
 * user's tree: each link is read here and resolved from the top again, never by the system.
 */
export async function locate(
  user: Pin,
  segments: Segments,
  { plainOnly = false }: { readonly plainOnly?: boolean } = {},
): Promise<Located | undefined> {
  let wanted: Segments | undefined = segments;
  for (let links = 0; wanted && links <= maxLinks; links++) {
    const step: Step | undefined = await walk(user, wanted);
    if (!step || 'found' in step) return step && { pin: step.found, segments: wanted };
    wanted = plainOnly ? undefined : step.leadsTo;
  }
  return undefined;
}

/**
 * Finds the parent folder of an entry to be changed. Throws when a link is in the way, because changes to its target
 * would be unexpected.
 */
export async function locateFolder(user: Pin, segments: Segments): Promise<Pin | undefined> {
  const step = await walk(user, segments);
  if (step && 'link' in step) throw notAFolder(step.link);
  if (!step || step.found.isFolder) return step?.found;
  await step.found.close();
  return undefined;
}

/** Like `locate`, but returns only the pin, and undefined when a link is in the way. */
export async function locatePlain(user: Pin, segments: Segments): Promise<Pin | undefined> {
  return (await locate(user, segments, { plainOnly: true }))?.pin;
}

/** Like `locateFolder`, but creates missing folders; reports each one it creates, even if a later one fails. */
export async function makeFolders(
  user: Pin,
  segments: Segments,
  onFolderCreated: () => void,
): Promise<Pin> {
  let folder = user;
  for (const name of segments) {
    const parent = folder;
    try {
      folder = await makeFolder(parent, name, onFolderCreated);
    } finally {
      await release(parent, user);
    }
  }
  return folder;
}

async function makeFolder(parent: Pin, name: string, onFolderCreated: () => void): Promise<Pin> {
  if (await mkdirIn(parent, name)) onFolderCreated();
  const folder = await parent.enter(name);
  if (folder?.isFolder) return folder;
  await folder?.close();
  throw notAFolder(name);
}

/** Creates a folder; returns false when the name is taken. */
export async function mkdirIn(parent: Pin, name: string): Promise<boolean> {
  try {
    await mkdir(parent.at(name), 0o700);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw explainError(error);
  }
}

async function walk(user: Pin, segments: Segments): Promise<Step | undefined> {
  let current = user;
  for (const index of segments.keys()) {
    const folder = current;
    try {
      const next = await step(folder, segments, index);
      if (!next || 'link' in next) return next;
      current = next.found;
    } finally {
      await release(folder, user);
    }
  }
  return { found: current };
}

async function step(folder: Pin, segments: Segments, index: number): Promise<Step | undefined> {
  const name = segments[index] ?? '';
  const entry = await folder.enter(name);
  if (!entry) return undefined;
  if (!entry.stats.isSymbolicLink()) return { found: entry };
  await entry.close();
  const target = await folder.readLink(name);
  const real = target === undefined ? undefined : followLink(segments.slice(0, index), target);
  return { link: name, leadsTo: real && [...real, ...segments.slice(index + 1)] };
}

async function release(pin: Pin, user: Pin): Promise<void> {
  if (pin !== user) await pin.close();
}

function notAFolder(name: string): AppError {
  return new AppError('FAILED_PRECONDITION', `${JSON.stringify(name)} is not a folder`);
}
