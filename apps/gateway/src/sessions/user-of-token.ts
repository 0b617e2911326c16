/**
 * Returns the id of the user for whom an access token was issued; empty if the id cannot be read. Takes the token, or
 * an `authorization` value that contains it. The services verify the token, but this function does not, so rely on the
 * id only for tokens from a sealed cookie.
 */
export function userOfToken(accessToken: string): string {
  const [, payload = ''] = accessToken.split('.');
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown };
    return typeof sub === 'string' ? sub : '';
  } catch {
    return '';
  }
}
