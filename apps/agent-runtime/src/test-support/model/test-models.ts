import { EnvReader } from '@daycare/service-kit';
import { buildModels, type Models } from '../../models/build';
import { readModelsConfig } from '../../models/models-config';
import type { TestRuntime } from '../test-runtime';

const nothing = (): void => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing } as never;

/** Builds one replica's models, configured by these environment variables. */
export function testModels(runtime: TestRuntime, env: Record<string, string>): Models {
  const reader = new EnvReader(env);
  return buildModels({
    db: runtime.mongo.db,
    config: reader.done(readModelsConfig(reader)),
    currency: 'USD',
    agents: runtime.agents,
    usage: runtime.usage,
    meter: runtime.spending.meter,
    priceOf: runtime.spending.priceOf,
    directory: runtime.directory,
    kit: { log },
    now: () => new Date(),
  });
}
