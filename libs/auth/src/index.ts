export { makeAuthenticator, type AuthenticatorOptions } from './authenticator';
export { basicAuthorization, BasicCredentials, type CredentialHolder } from './basic-credentials';
export { BoundedCache } from './bounded-cache';
export { issuer, tokenTypes, type Claims, type UserSubject } from './claims';
export { KeyRing, type KeyRingOptions, type KeySnapshot } from './key-ring';
export {
  contextKey,
  ServiceCredential,
  type ServiceCredentialOptions,
  type ServiceToken,
} from './service-credential';
export { importSigningKey, signAccessToken, type SigningKey } from './sign-access-token';
export { maxContextSeconds, TokenVerifier } from './token-verifier';
