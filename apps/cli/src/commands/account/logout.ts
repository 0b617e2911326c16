import { withContext, type Context } from '../../client/contexts/context';
import { textView } from '../../output/view';
import { defineCommand } from '../kit/command';

export const logoutCommand = defineCommand({
  name: 'logout',
  description: 'sign out and revoke the tokens of the context',
  examples: ['logout', 'logout --context work'],
  async run({ session, store }) {
    const opened = await session();
    const { name, context } = opened.context;
    const token = context.tokens?.refresh ?? context.tokens?.access;
    if (token) await opened.unauthenticated((identity) => identity.revokeToken({ token }));
    await (
      await store()
    ).update((before) =>
      before.contexts[name] ? withContext(before, { name, context: signedOut(context) }) : before,
    );
    return textView(`Signed out (context ${name}).`, { context: name });
  },
});

/** Keeps the user, so that `daycare login` can sign in as them again on a local stack. */
function signedOut({ tokens: _tokens, ...rest }: Context): Context {
  return rest;
}
