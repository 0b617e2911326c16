export { createLogger } from './create-logger';
export { ConfigError, EnvReader, withoutPassword } from './env-reader';
export { createMetrics, type Metrics } from './metrics';
export { runService, type BuiltService, type ServiceKit } from './run-service';
export { openMongo } from './open-mongo';
export {
  readMongoConfig,
  readServiceConfig,
  type MongoConfig,
  type ServiceConfig,
} from './service-config';
export { StopSequence, type StopPhase } from './stop-sequence';
