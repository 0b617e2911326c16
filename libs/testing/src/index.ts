export { eventually } from './eventually';
export { extendHistory } from './extend-history';
export { conversationOf, type WireMessage } from './model/conversation';
export { googleEvents } from './model/google-events';
export {
  disconnect,
  hang,
  ModelServer,
  type ModelServerReply,
  type Reply,
  type ReplyStep,
  type SeenRequest,
} from './model/model-server';
export {
  defaultUsage,
  openAiEvent,
  openAiEvents,
  type WireAnswer,
  type WireCall,
  type WireUsage,
} from './model/openai-events';
export {
  profileQueries,
  queriesSortedInMemory,
  queriesWithoutIndex,
  type ProfiledQuery,
} from './profile-queries';
export { startOidcProvider, type TestOidcProvider } from './oidc/start-oidc-provider';
export type { TestService } from './stack/assemble-stack';
export { warmCodeCaches } from './stack/warm-code-caches';
export { Restartable } from './stack/restartable';
export {
  friendTie,
  seedLargeAccount,
  type LargeAccountSize,
  type TieMember,
} from './seed-large-account';
export { leaseTestStack } from './stack/lease-test-stack';
export { testDatabase, testMongoUrl, testNatsUrl, testNatsUrlOf } from './test-servers';
export {
  startTestStack,
  type TestServer,
  type TestStack,
  type EmptyStack,
  type TestStackOptions,
} from './stack/test-stack';
export { unescapeMarkup } from './unescape-markup';
export { uniqueName } from './unique-name';
export { startMongoProxy } from './wire/mongo-proxy';
export { startNatsProxy } from './wire/nats-proxy';
export type { WireProxy } from './wire/wire-proxy';
export type { ArmedHold, StepTrap } from './wire/wire-traps';
