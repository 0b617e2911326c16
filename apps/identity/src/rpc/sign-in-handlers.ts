import type { IdentityServiceService } from '@daycare/contracts/identity';
import type { Handlers } from '@daycare/rpc';
import type { SignInUsecases } from '../usecases';
import { personOf } from './access-token-handlers';
import { toTokenPair } from './to-token-pair';

type SignInHandlers = Pick<
  Handlers<typeof IdentityServiceService>,
  | 'createSignInCode'
  | 'exchangeSignInCode'
  | 'listSignInProviders'
  | 'beginSignIn'
  | 'completeSignIn'
>;

/** The handlers for signing in with a code or at a provider. */
export function signInHandlers(signIn: SignInUsecases): SignInHandlers {
  return {
    createSignInCode: ({ userId }, { caller }) => signIn.createSignInCode(personOf(caller), userId),
    exchangeSignInCode: async ({ code }) => ({
      tokens: toTokenPair(await signIn.exchangeSignInCode(code)),
    }),
    listSignInProviders: async () => ({ providers: [...signIn.listSignInProviders()] }),
    beginSignIn: ({ provider, redirectUri }, { address }) =>
      signIn.beginSignIn(provider, redirectUri, address),
    completeSignIn: async ({ query, browserSecret }) => ({
      tokens: toTokenPair(await signIn.completeSignIn(query, browserSecret)),
    }),
  };
}
