import type { Trust } from '@daycare/api';
import type { FileReference } from '../../agents';
import { maxFileBytes, referenceTo } from '../domain/stored-file';
import type { FileStore } from '../store/file-store';
import { storeWithinQuota, type StoreWithinQuotaDeps } from './store-within-quota';

export interface AttachFileDeps extends StoreWithinQuotaDeps {
  readonly files: StoreWithinQuotaDeps['files'] & Pick<FileStore, 'markReferenced'>;
  readonly newId: () => string;
  readonly now: () => Date;
}

export interface AttachFileCommand {
  readonly userId: string;
  /** The same for every retry of the call. */
  readonly requestId: string;
  readonly name: string;
  readonly content: Uint8Array;
  /**
   * The lower of the trust of the turn and the trust of the content's author; undefined when both the turn and the
   * content are the user's own.
   */
  readonly writtenBy: Trust | undefined;
  /** Whether one of the agent's records will refer to the file; otherwise it is deleted after a day. */
  readonly isReferenced: boolean;
}

export const maxAttachedBytes = maxFileBytes;

/** Stores a file that an agent attaches to its answer, once per request id; it counts towards the upload quota. */
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
    const { file } = await storeWithinQuota({ files, quota }, draft, [content]);
    // The file is marked before any record refers to it; otherwise the record could outlive the file.
    if (isReferenced) await files.markReferenced(userId, [file.id]);
    return referenceTo(file);
  };
}
