import type { UserHomes } from '../home/user-homes';
import { makeSearchFiles } from '../usecases/search-files';
import { makeFileDeleteTool } from './file-delete';
import { makeFileListTool } from './file-list';
import { makeFileReadTool } from './file-read';
import { makeFileSearchTool } from './file-search';
import { makeFileWriteTool } from './file-write';
import type { Tool } from './tool';

/** The tools on users' own files; none where users have no directories. */
export function makeFileTools({ homes }: { readonly homes: UserHomes | undefined }): Tool[] {
  if (!homes) return [];
  return [
    makeFileDeleteTool({ homes }),
    makeFileListTool({ homes }),
    makeFileReadTool({ homes }),
    makeFileSearchTool({ searchFiles: makeSearchFiles({ homes }) }),
    makeFileWriteTool({ homes }),
  ];
}
