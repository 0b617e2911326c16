import { collect } from '../../client/rpc/pages';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { defineCommand } from '../kit/command';
import { limitOption, type Limited } from '../kit/options';

export const uploadsCommand = defineCommand<Limited>({
  name: 'uploads',
  description:
    'list the files that you uploaded and those that your agents attached to answers, newest first',
  options: [limitOption],
  examples: ['file uploads', 'file uploads -o json'],
  async run({ session, options: { limit } }) {
    const { runtime } = await session();
    const uploads = await collect(limit, async (page) => {
      const { files: items, nextPageToken } = await runtime.listFiles(page);
      return { items, nextPageToken };
    });
    return tableView(
      uploads,
      [
        ['ID', ({ file }) => file?.id ?? '', 'id'],
        ['AGE', ({ createdAt }) => createdAt],
        ['SIZE', ({ file }) => `${file?.size ?? 0}`],
        ['TYPE', ({ file }) => file?.mimeType ?? ''],
        ['NAME', ({ file }) => file?.name ?? '', 'long'],
      ],
      'No files have been uploaded or attached to answers.',
    );
  },
});

export const discardCommand = defineCommand({
  name: 'discard',
  description:
    'delete an uploaded or attached file for good; messages still refer to it, but it can no longer be opened',
  args: [['<file>', 'name, or id from "daycare file uploads"', { kind: 'upload' }]],
  examples: ['file discard photo.png'],
  hints: { NOT_FOUND: 'Run "daycare file uploads" to see the files.' },
  async run({ session, args: [fileId = ''] }) {
    const { runtime, requestIds } = await session();
    await runtime.deleteFile({ requestId: requestIds.next(), fileId });
    return textView(`Deleted ${fileId}.`, { fileId });
  },
});
