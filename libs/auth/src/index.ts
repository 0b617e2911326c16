export { makeAuthenticator } from './authenticator';
export { basicAuthorization, BasicCredentials, type Credential } from './basic-credentials';
export type { Claims, UserSubject } from './claims';
export { KeyRing, type KeyUpdate } from './key-ring';
export type { Revocation } from './revocations';
export { ServiceCredential } from './service-credential';
export { importSigningKey, signAccessToken, type SigningKey } from './sign-access-token';
export { TokenVerifier } from './token-verifier';
