import { AppError } from '@daycare/api';
import type { AgentCall } from '../../agents';
import type { UserHomes } from '../../homes';
import type { OnceEffect, ToolLedger } from '../ports/ledger';

export interface ChangeFilesDeps {
  readonly homes: Pick<UserHomes, 'identify' | 'list' | 'remove' | 'write'>;
  readonly ledger: ToolLedger;
}

/** The identity of each entry, by path. */
type Identities = Readonly<Record<string, string>>;

/** If a folder has more entries than this, their identities are not recorded. */
const maxRecorded = 1_000;

/**
 * Writes a file once per request id: a retry leaves a later version unchanged. One exception: if the first attempt was
 * interrupted after it had created the file, and the file was then deleted, a retry creates it again (ADR 0029).
 */
export async function writeOnce(
  { homes, ledger }: ChangeFilesDeps,
  call: AgentCall,
  { path, bytes }: { readonly path: string; readonly bytes: Buffer },
): Promise<void> {
  const args = { path, content: bytes.toString('base64') };
  await ledger.once({ call, toolName: 'file_write', args }, writeEffect(homes, call, path, bytes));
}

/** A retry writes only if the path is in the same state as before the first attempt. */
function writeEffect(
  homes: ChangeFilesDeps['homes'],
  { agent: { userId }, trust }: AgentCall,
  path: string,
  content: Buffer,
): OnceEffect<string | null, { readonly path: string }> {
  const identify = async (): Promise<string | null> => (await homes.identify(userId, path)) ?? null;
  return {
    observe: identify,
    async act(before, isRetry) {
      if (!isRetry || (await identify()) === before)
        await homes.write(userId, path, content, { trust });
      return { path };
    },
  };
}

/** Like `writeOnce`, but writes the content of an attached file, which never changes. */
export async function saveOnce(
  { homes, ledger }: ChangeFilesDeps,
  call: AgentCall,
  {
    path,
    file,
    content,
  }: { readonly path: string; readonly file: { readonly id: string }; readonly content: Buffer },
): Promise<void> {
  const key = { call, toolName: 'attachment_save', args: { path, fileId: file.id } };
  await ledger.once(key, writeEffect(homes, call, path, content));
}

/**
 * Deletes an entry, at most once per request id: a retry deletes only what already existed at the first attempt.
 * Returns false if there was nothing to delete.
 */
export async function removeOnce(
  { homes, ledger }: ChangeFilesDeps,
  call: AgentCall,
  args: { readonly path: string; readonly recursive: boolean },
): Promise<boolean> {
  const { userId } = call.agent;
  const { path, recursive } = args;
  const { deleted } = await ledger.once(
    { call, toolName: 'file_delete', args },
    {
      observe: () => identitiesOf(homes, userId, path),
      act: async (before, isRetry) => ({
        deleted: isRetry
          ? await removeUnchanged(homes, userId, before, recursive)
          : await homes.remove(userId, path, { recursive }),
      }),
    },
  );
  return deleted;
}

/**
 * Returns the identity of the entry or, for a root folder, which is only emptied, the identities of the entries in it;
 * null if it has too many.
 */
async function identitiesOf(
  homes: ChangeFilesDeps['homes'],
  userId: string,
  path: string,
): Promise<Identities | null> {
  const isRoot = !path.includes('/');
  const names = isRoot ? ((await homes.list(userId, path)) ?? []).map(({ name }) => name) : [];
  if (names.length > maxRecorded) return null;
  const identities: Record<string, string> = {};
  for (const entryPath of isRoot ? names.map((name) => `${path}/${name}`) : [path]) {
    const identity = await homes.identify(userId, entryPath);
    if (identity !== undefined) identities[entryPath] = identity;
  }
  return identities;
}

/**
 * Deletes only entries that have not changed; returns whether there was anything to delete at the first attempt. Throws
 * FAILED_PRECONDITION if there were too many entries to record.
 */
async function removeUnchanged(
  homes: ChangeFilesDeps['homes'],
  userId: string,
  before: Identities | null,
  recursive: boolean,
): Promise<boolean> {
  if (!before)
    throw new AppError(
      'FAILED_PRECONDITION',
      'The deletion was interrupted; list the folder to see what is left',
    );
  for (const [path, identity] of Object.entries(before))
    if ((await homes.identify(userId, path)) === identity)
      await homes.remove(userId, path, { recursive });
  return Object.keys(before).length > 0;
}
