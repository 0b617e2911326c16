import type { AgentRuntimeServiceService } from '@daycare/contracts/agent-runtime';
import { requireUser, type Handlers } from '@daycare/rpc';
import type { Files } from '../build';
import {
  toDownloadResponses,
  toUploadedFile,
  toUploadParts,
  toUploadResponse,
} from './file-messages';

export type FileUsecases = Pick<Files, 'deleteFile' | 'downloadFile' | 'listFiles' | 'uploadFile'>;

/** The RPCs that transfer, list and delete a user's files. */
export function fileHandlers(usecases: FileUsecases): Handlers<typeof AgentRuntimeServiceService> {
  return {
    uploadFile: async (requests, { caller }) => {
      const { userId } = requireUser(caller);
      return toUploadResponse(
        await usecases.uploadFile({ userId, parts: toUploadParts(requests) }),
      );
    },
    listFiles: async (request, { caller }) => {
      const call = { ...request, userId: requireUser(caller).userId };
      const { files, nextPageToken } = await usecases.listFiles(call);
      return { files: files.map(toUploadedFile), nextPageToken };
    },
    deleteFile: async (request, { caller }) => {
      await usecases.deleteFile({ ...request, userId: requireUser(caller).userId });
      return {};
    },
    downloadFile: ({ fileId }, { caller }) =>
      toDownloadResponses(usecases.downloadFile(requireUser(caller).userId, fileId)),
  };
}
