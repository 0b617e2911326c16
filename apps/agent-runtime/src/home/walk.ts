import { mkdir } from 'node:fs/promises';
import { AppError } from '@daycare/errors';
import { followLink } from '../domain/home-path';
import { explainError } from './explain-error';
import { errorCodeOf, type Pin } from './pin';

const mostLinks = 16;

type Segments = readonly string[];
type Step =
  { readonly found: Pin } | { readonly link: string; readonly leadsTo: Segments | undefined };

/**
 * What a path leads to, for reading. Links are followed as long as they stay in the user's tree, since
 * programs make them; each is read and walked from the top again, never handed to the system.
 */
export async function locate(
  user: Pin,
  segments: Segments,
  { plainOnly = false }: { readonly plainOnly?: boolean } = {},
): Promise<Pin | undefined> {
  let wanted: Segments | undefined = segments;
  for (let links = 0; wanted && links <= mostLinks; links++) {
    const step: Step | undefined = await walk(user, wanted);
    if (!step || 'found' in step) return step?.found;
    wanted = plainOnly ? undefined : step.leadsTo;
  }
  return undefined;
}

/** The folder of what is to be changed. Nothing is changed through a link: the other side would not expect it. */
export async function locateFolder(user: Pin, segments: Segments): Promise<Pin | undefined> {
  const step = await walk(user, segments);
  if (step && 'link' in step) throw notAFolder(step.link);
  if (!step || step.found.isFolder) return step?.found;
  await step.found.close();
  return undefined;
}

/** As `locateFolder`, but makes what is missing; says how many that were, also when it fails. */
export async function makeFolders(user: Pin, segments: Segments, onMade: () => void): Promise<Pin> {
  let folder = user;
  for (const name of segments) {
    const next = await makeFolder(folder, name, onMade).finally(() => release(folder, user));
    folder = next;
  }
  return folder;
}

async function makeFolder(parent: Pin, name: string, onMade: () => void): Promise<Pin> {
  if (await mkdirIn(parent, name)) onMade();
  const folder = await parent.enter(name);
  if (folder?.isFolder) return folder;
  await folder?.close();
  throw notAFolder(name);
}

/** False when there is something by that name. */
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
  let at = user;
  for (const index of segments.keys()) {
    const next = await step(at, segments, index).finally(() => release(at, user));
    if (!next || 'link' in next) return next;
    at = next.found;
  }
  return { found: at };
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
  return new AppError('FAILED_PRECONDITION', `${JSON.stringify(name)} on the way is not a folder`);
}
