/** A file or folder, by its whole path. Folders end with a slash. */
export interface ListedFile {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number | undefined;
  readonly changedAt: Date | undefined;
}

/** The lines that `file_list` returns, without those of the folder's own and of entries that were left out. */
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
