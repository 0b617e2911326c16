import { resolve } from 'node:path';
import { exportAccount } from '../../account/export-account';
import { withoutContext } from '../../client/contexts/context';
import { textView } from '../../output/view';
import { defineCommand, type AnyCommand } from '../kit/command';

const remove = defineCommand({
  name: 'delete',
  description: 'delete your account: your agents, subusers, memory, files and friendships',
  examples: ['account delete', 'account delete --yes --context work'],
  confirm: () =>
    'Delete your account and all your agents, subusers, memory and files? This cannot be undone.',
  async run({ session, store }) {
    const opened = await session();
    const userId = await opened.userId();
    await opened.identity.deleteUser({ requestId: opened.requestIds.next(), userId });
    const { name } = opened.context;
    await (
      await store()
    ).update((before) => (before.contexts[name] ? withoutContext(before, name) : before));
    return textView(`Deleted your account and context ${name}.`, { userId, context: name });
  },
});

const save = defineCommand<{ force?: boolean }>({
  name: 'export',
  description:
    'save your account to a folder: friends, agents, schedules, endpoints, channels, signal subscriptions, budgets, grants, dead letters, memory and text files; other files are skipped and reported; uploads and usage are left out',
  args: [['<folder>', 'target folder, created if missing']],
  options: [['--force', 'overwrite existing files']],
  examples: ['account export ./my-daycare', 'account export ./my-daycare --force'],
  async run({ session, args: [folder = ''], options: { force = false } }) {
    const files = await exportAccount(await session(), resolve(folder), force);
    return textView(`Wrote ${files.length} files to ${resolve(folder)}.`, { folder, files });
  },
});

export const accountCommands: readonly AnyCommand[] = [save, remove];
