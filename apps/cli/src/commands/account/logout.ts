import { withContext, type Context } from '../../client/contexts/context';
import type { Session } from '../../client/session';
import { textView } from '../../output/view';
import { defineCommand } from '../kit/command';

export const logoutCommand = defineCommand<{ everywhere?: boolean }>({
  name: 'logout',
  description: "sign out and revoke the context's tokens",
  options: [
    [
      '--everywhere',
      'end all your sessions, including those of your agents and subusers, and revoke your personal access tokens',
    ],
  ],
  examples: ['logout', 'logout --everywhere', 'logout --context work'],
  async run({ session, store, options: { everywhere = false } }) {
    const opened = await session();
    const { name, context } = opened.context;
    const token = context.tokens?.refresh ?? context.tokens?.access;
    if (everywhere) await endSessions(opened);
    else if (token) await opened.identity.revokeToken({ token });
    await (
      await store()
    ).update((before) =>
      before.contexts[name]
        ? withContext(before, { name, context: withoutTokens(context) })
        : before,
    );
    const where = everywhere ? 'everywhere' : `(context ${name})`;
    return textView(`Signed out ${where}.`, { context: name });
  },
});

async function endSessions(session: Session): Promise<void> {
  const target = { $case: 'userId', value: await session.userId() } as const;
  await session.identity.revokeSessions({ target });
}

/** Keeps the user, so that `daycare login` can sign in as them again on a local stack. */
function withoutTokens({ tokens: _tokens, ...rest }: Context): Context {
  return rest;
}
