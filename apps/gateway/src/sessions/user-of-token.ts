/**
 * The id of the user for whom an access token was issued; empty if it cannot be read. The token may be given by
 * itself or as an `authorization` value. It is verified by the services, not here, so rely on the id only for
 * tokens from a sealed cookie.
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
