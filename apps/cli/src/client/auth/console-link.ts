import { RequestIds } from '../rpc/request-ids';
import { findLocalUser, withIdentity, type Identity, type IdentityAccess } from './sign-in';

type Codes = Pick<Identity, 'createSignInCode'>;

/** Creates a single-use link that signs a browser in as the given user, or as the caller if `userId` is empty. */
export async function createConsoleLink(
  identity: Codes,
  gatewayUrl: string,
  userId = '',
): Promise<{ url: string; expiresAt: Date | undefined }> {
  const { code, expiresAt } = await identity.createSignInCode({ userId });
  const url = new URL('/sign-in', gatewayUrl);
  url.searchParams.set('code', code);
  return { url: url.href, expiresAt };
}

/** Creates a console link for the person who uses this machine. `access` must be that of a local stack's operator. */
export function createLocalLink(access: IdentityAccess, gatewayUrl: string): Promise<string> {
  return withIdentity(access, async (identity) => {
    const { user } = await findLocalUser(identity, new RequestIds(undefined).next());
    return (await createConsoleLink(identity, gatewayUrl, user?.id)).url;
  });
}
