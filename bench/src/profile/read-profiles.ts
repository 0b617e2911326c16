import { readdir, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { busyTimeOf, type BusyTime, type CpuProfile, type FindSource } from './busy-time';

export interface ProcessProfile {
  readonly process: string;
  readonly busy: BusyTime;
}

/** Reads the profiles that the measured processes have written into a folder. */
export async function readProfiles(folder: string): Promise<ProcessProfile[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).sort();
  const profiles: ProcessProfile[] = [];
  for (const file of files) {
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
    const process = basename(file, '.cpuprofile').replace(/-\d+$/, '');
    profiles.push({ process, busy: busyTimeOf(profile, await sourcesOf(profile)) });
  }
  return profiles;
}

/** Returns a function that looks up sources in the source maps next to the bundles. */
async function sourcesOf({ nodes }: CpuProfile): Promise<FindSource> {
  const urls = new Set(nodes.map(({ callFrame }) => callFrame.url));
  const maps = new Map<string, SourceMap>();
  for (const url of urls) {
    const map = await readMap(url);
    if (map) maps.set(url, map);
  }
  return ({ url, lineNumber, columnNumber }) => {
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry && 'originalSource' in entry ? entry.originalSource : undefined;
  };
}

async function readMap(url: string): Promise<SourceMap | undefined> {
  if (url === '' || url.startsWith('node:')) return undefined;
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  try {
    return new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')));
  } catch {
    // The file is not a bundle and has no source map, so its frames are reported as unknown.
    return undefined;
  }
}
