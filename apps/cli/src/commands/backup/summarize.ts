import { missingParts, type Manifest, type MissingPart } from '@daycare/local-stack';
import { exitCodes } from '../../failure/exit-codes';
import { safeLine } from '../../output/safe-text';
import type { View } from '../../output/view';

/** The maximum number of unreadable files to name on the screen; the manifest may name more. */
const maxNamed = 10;

/** Describes what a backup contains, and what is missing from it. */
export function summarizeBackup(manifest: Manifest, done: string, folder: string): View {
  const { collections, users, keys, clusterTime, startedAt } = manifest;
  const documents = collections.reduce((sum, { entries }) => sum + entries, 0);
  const files = users?.entries ?? 0;
  const facts = `${documents} documents, ${files} user files and folders, ${keys.length} keys`;
  const missing = missingParts(manifest);
  const unread = users?.unread ?? [];
  const unreadCount = users?.unreadCount ?? unread.length;
  return {
    data: {
      folder,
      documents,
      userEntries: files,
      keys: keys.map(({ file }) => file),
      clusterTime,
      startedAt,
      version: manifest.version,
      format: manifest.format,
      missing,
      unread,
      unreadCount,
    },
    render: ({ colours }) =>
      [
        `${done}: ${facts}, as of ${startedAt}.`,
        ...missing.map((option) => colours.red(`NOT IN THIS BACKUP: ${wordsOf[option]}`)),
        ...(unreadCount > 0 ? [colours.red(describeUnread(unread, unreadCount))] : []),
      ].join('\n'),
    exitCode: unreadCount + missing.length > 0 ? exitCodes.partial : exitCodes.ok,
  };
}

const wordsOf: Readonly<Record<MissingPart, string>> = {
  'users-dir':
    "users' files: homes, memory, skills, apps. To include them, make a new backup with --users-dir FOLDER.",
  'vault-key':
    'vault-key, which encrypts model provider keys. To include it, make a new backup with --key vault-key=FILE.',
  'credentials.json':
    "credentials.json, the operators', services' and clients' secrets. To include it, make a new backup with --key credentials.json=FILE.",
};

function describeUnread(unread: readonly string[], count: number): string {
  const named = unread.slice(0, maxNamed).map(safeLine);
  const more = count > named.length ? ', …' : '';
  const listed = unread.length < count ? `the first ${unread.length} are named` : 'all are named';
  return `NOT READ: ${count} user files or folders (${listed} in manifest.json): ${named.join(', ')}${more}`;
}
