import type { Trust } from '@daycare/api';
import type { FileReference } from '../../agents';
import { maxFileBytes, referenceTo } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';
import { storeCounted, type StoreCountedDeps } from './store-counted';

export interface AttachFileDeps extends StoreCountedDeps {
  readonly files: StoreCountedDeps['files'] & Pick<FileStore, 'markReferenced'>;
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface AttachFileCommand {
  readonly userId: string;
  /** The same for every repetition of the call. */
  readonly requestId: string;
  readonly name: string;
  readonly content: Uint8Array;
  /** The trust of the turn, or of the author of the content; undefined when that is the user's own. */
  readonly writtenBy: Trust | undefined;
  /** Whether a record of the agent will refer to it; otherwise it is collected after a day. */
  readonly isReferenced: boolean;
}

export const maxAttachedBytes = maxFileBytes;

/** Stores a file that an agent attaches to its answer, once per request id, and counts it like an upload. */
export function makeAttachFile({ files, quota, newId, now }: AttachFileDeps) {
  return async (command: AttachFileCommand): Promise<FileReference> => {
    const { userId, requestId, name, content, writtenBy, isReferenced } = command;
    const draft = {
      id: newId(),
      userId,
      name,
      claimedType: '',
      promisedSha256: '',
      requestKey: `attached:${requestId}`,
      createdAt: now(),
      ...(writtenBy ? { writtenBy } : {}),
    };
    const { file } = await storeCounted({ files, quota }, draft, [content]);
    // Marked before any record refers to it; otherwise the record could outlive the file.
    if (isReferenced) await files.markReferenced(userId, [file.id]);
    return referenceTo(file);
  };
}
