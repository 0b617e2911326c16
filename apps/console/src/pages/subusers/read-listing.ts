/** A file or folder with its full path. Folders end with a slash. */
export interface ListedFile {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number | undefined;
  readonly changedAt: Date | undefined;
}

/** Parses the output of `file_list`. Skips the folder itself and the line about omitted entries. */
export function readListing(summary: string, folder: string): readonly ListedFile[] {
  const files = summary.split('\n').map(readLine);
  return files.filter((file) => file !== undefined && file.path !== `${folder}/`) as ListedFile[];
}

function readLine(line: string): ListedFile | undefined {
  const [, path, size, changed] = /^(.*?)(?: (\d+) bytes)?(?: changed (\S+))?$/.exec(line) ?? [];
  if (path === undefined || path === '' || path.startsWith('… and ')) return undefined;
  const changedAt = changed === undefined ? undefined : new Date(changed);
  return {
    path,
    isFolder: path.endsWith('/'),
    size: size === undefined ? undefined : Number(size),
    changedAt,
  };
}
