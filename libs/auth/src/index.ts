export { makeAuthenticator } from './authenticator';
export { basicAuthorization, BasicCredentials } from './basic-credentials';
export type { Claims } from './claims';
export { KeyRing } from './key-ring';
export { ServiceCredential } from './service-credential';
export { importSigningKey, signAccessToken, type SigningKey } from './sign-access-token';
export { TokenVerifier } from './token-verifier';
