/** For programs in this repository that call the services directly or store their tokens themselves. */
export { connectWithAuthority, type AuthorityConnectOptions } from './connect';
export { fixedAuthority, type Authority } from './calls/authority';
export { isPersonalToken, renewTokens, toTokens } from './calls/renew-tokens';
export { expiryMsOf, inMemoryStore, TokenSource, type TokenStore } from './calls/token-source';
export { readPages, type Page } from './api/pages';
export { outcomeOf } from './api/find-answer';
export { createGrpcTransport } from './transport/grpc-transport';
export type { ServiceKey } from './transport/transport';
