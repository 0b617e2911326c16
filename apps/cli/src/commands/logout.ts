import { withContext, type Context } from '../client/context';
import { textView } from '../output/view';
import { defineCommand } from './command';

export const logoutCommand = defineCommand({
  name: 'logout',
  description: 'end the sign-in of a context; its tokens hold no longer',
  examples: ['logout', 'logout --context work'],
  async run({ session, store }) {
    const opened = await session();
    const { name, context } = opened.context;
    const token = context.tokens?.refresh ?? context.tokens?.access;
    if (token) await opened.asNobody((identity) => identity.revokeToken({ token }));
    await (
      await store()
    ).update((before) =>
      before.contexts[name] ? withContext(before, { name, context: signedOut(context) }) : before,
    );
    return textView(`Signed out (context ${name}).`, { context: name });
  },
});

/** Who it was stays known: on the stack of this machine they can sign in again. */
function signedOut({ tokens: _tokens, ...rest }: Context): Context {
  return rest;
}
