export { eventually, type EventuallyOptions } from './eventually';
export type { Restartable } from './restartable';
export type { TestService } from './test-replicas';
export { storeHousehold, type HouseholdSize, type HouseholdStores } from './store-household';
export { testDatabase, testMongoUrl, testNatsUrl } from './test-servers';
export {
  startTestStack,
  type TestServer,
  type TestStack,
  type TestStackOptions,
} from './test-stack';
export { uniqueName } from './unique-name';
export { startMongoProxy } from './wire/mongo-proxy';
export { startNatsProxy } from './wire/nats-proxy';
export type { WireProxy } from './wire/wire-proxy';
export type { ArmedTrap, StepTrap } from './wire/wire-traps';
