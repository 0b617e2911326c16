import { invalidContextName, unknownContext } from '../../client/contexts/choose-context';
import {
  isContextName,
  withContext,
  withoutContext,
  type Context,
} from '../../client/contexts/context';
import { recordView } from '../../output/record';
import { tableView } from '../../output/table';
import { textView } from '../../output/view';
import { toYesNo } from '../../output/words';
import { defineCommand, type AnyCommand } from '../kit/command';
import { applyOptions, contextOptions, type ContextOptions } from './context-options';

interface ContextRow extends Context {
  readonly name: string;
  readonly current: boolean;
}

const list = defineCommand({
  name: 'list',
  description: 'list contexts; * marks the current one',
  examples: ['context list', 'context list -o json'],
  async run({ store }) {
    const { current, contexts } = await (await store()).read();
    const rows: ContextRow[] = Object.entries(contexts).map(([name, context]) => ({
      name,
      current: name === current,
      ...hideTokens(context),
    }));
    return tableView(
      rows,
      [
        ['', (row) => (row.current ? '*' : ' ')],
        ['NAME', ({ name }) => name],
        ['USER', ({ user }) => user?.name ?? ''],
        ['NAMETAG', ({ user }) => user?.nametag ?? ''],
        ['SIGNED IN', ({ tokens }) => toYesNo(tokens !== undefined)],
        ['SERVERS', ({ stack, addresses }) => stack ?? addresses?.identity ?? '', 'long'],
      ],
      'No contexts yet. Create one with "daycare login".',
    );
  },
});

const use = defineCommand({
  name: 'use',
  description: 'switch to a context',
  args: [['<name>', 'name of the context']],
  examples: ['context use work'],
  async run({ store, args: [name = ''] }) {
    await (
      await store()
    ).update((before) => {
      if (!before.contexts[name]) throw unknownContext(name);
      return { ...before, current: name };
    });
    return textView(`Switched to context ${name}.`, { current: name });
  },
});

const show = defineCommand<{ showTokens?: boolean }>({
  name: 'show',
  description: 'show a context; tokens are hidden',
  args: [['[name]', 'name of the context (default: the current one)']],
  options: [['--show-tokens', 'show the tokens as well; anyone who has them can act as you']],
  examples: ['context show', 'context show work -o yaml'],
  async run({ store, chosen, args: [name], options }) {
    const found = name === undefined ? await chosen() : await namedContext(await store(), name);
    const shown = options.showTokens ? found.context : hideTokens(found.context);
    const { stack, addresses = {}, tls, user, tokens } = shown;
    return recordView({ name: found.name, ...shown }, [
      ['name', found.name],
      ['user', user ? `${user.name} (${user.nametag}, ${user.id})` : ''],
      ['stack', stack ?? ''],
      ...Object.entries(addresses),
      ['tls', tls ? Object.values(tls).join(' ') || 'system certificate authorities' : ''],
      ['token', tokens?.access ?? ''],
      ['expires', tokens?.accessExpiresAt ?? ''],
      ['refresh token', tokens?.refresh ?? ''],
    ]);
  },
});

const set = defineCommand<ContextOptions>({
  name: 'set',
  description: 'create or change a context; omitted options stay the same',
  args: [['<name>', 'name of the context']],
  options: contextOptions,
  examples: [
    'context set work --identity id.example.org:443 --tls',
    'context set work --no-tls-ca',
    'context set local --topology 127.0.0.1:50054',
  ],
  async run({ store, args: [name = ''], options }) {
    if (!isContextName(name)) throw invalidContextName(name);
    const after = await (
      await store()
    ).update((before) => {
      const context = applyOptions(before.contexts[name] ?? {}, options);
      return withContext({ current: name, ...before }, { name, context });
    });
    const context = hideTokens(after.contexts[name] ?? {});
    return textView(`Saved context ${name}.`, { name, ...context });
  },
});

const remove = defineCommand({
  name: 'delete',
  description: 'delete a context; run "daycare logout" first to revoke its tokens',
  args: [['<name>', 'name of the context']],
  examples: ['context delete work', 'context delete work --yes'],
  confirm: ([name]) => `Delete context ${name} and its sign-in?`,
  async run({ store, args: [name = ''] }) {
    await (
      await store()
    ).update((before) => {
      if (!before.contexts[name]) throw unknownContext(name);
      return withoutContext(before, name);
    });
    return textView(`Deleted context ${name}.`, { name });
  },
});

async function namedContext(
  store: { read(): Promise<{ contexts: Readonly<Record<string, Context>> }> },
  name: string,
): Promise<{ name: string; context: Context }> {
  const context = (await store.read()).contexts[name];
  if (!context) throw unknownContext(name);
  return { name, context };
}

function hideTokens(context: Context): Context {
  if (!context.tokens) return context;
  const { access: _access, refresh, ...times } = context.tokens;
  return {
    ...context,
    tokens: { access: '(hidden)', ...(refresh ? { refresh: '(hidden)' } : {}), ...times },
  };
}

export const contextCommands: readonly AnyCommand[] = [list, use, show, set, remove];
