import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import { TokenBuckets } from '@daycare/rpc';
import { Sealer, type ServiceKit, type UserDataStore } from '@daycare/service-kit';
import type { AgentReader, AgentWriter, Directory, UsageWriter } from '../agents';
import type { MeterCalls } from '../spending';
import { ModelCatalogue } from './catalogue/model-catalogue';
import type { ModelPrices } from './catalogue/model-entry';
import type { ModelsConfig } from './models-config';
import { makeProviders, makeProviderWith } from './providers/vendors/provider-registry';
import { choiceIndexes, ChoiceStore } from './store/choice-store';
import { ProviderStore } from './store/provider-store';
import { makeAddProvider, makeRemoveProvider } from './usecases/change-providers';
import { KnownProviders } from './usecases/known-providers';
import { makeListProviders } from './usecases/list-providers';
import { makeModelChooser } from './usecases/choose-model';
import { makeGetModel } from './usecases/get-model';
import { KnownChoices } from './usecases/known-choices';
import { makeListModels, ModelLabels } from './usecases/list-models';
import { ModelHealth } from './usecases/model-health';
import { makeReadSettings } from './usecases/model-settings';
import { makeSetModel } from './usecases/set-model';
import { makeTestModel, testLimit } from './usecases/test-model';

export const modelsIndexes: readonly CollectionIndexes[] = [choiceIndexes];

export interface ModelsDeps {
  readonly db: Db;
  readonly config: ModelsConfig;
  readonly currency: string;
  /** Returns a model's price in this installation, from any source; undefined when it is unknown. */
  readonly priceOf: (model: string) => ModelPrices | undefined;
  readonly agents: Pick<AgentReader, 'find'> & Pick<AgentWriter, 'configure'>;
  readonly usage: UsageWriter;
  readonly meter: Pick<MeterCalls, 'begin' | 'settle'>;
  readonly directory: Directory;
  readonly kit: Pick<ServiceKit, 'log'> & Partial<Pick<ServiceKit, 'tracing'>>;
  readonly now: () => Date;
}

export type Models = ReturnType<typeof buildModels>;

/** Builds the model providers, the facts about their models, and the choice of models for agents. */
export function buildModels(deps: ModelsDeps) {
  const { config, currency, agents, usage, meter, directory, kit, now } = deps;
  const choices = new ChoiceStore(deps.db);
  const store = new ProviderStore(deps.db);
  const sealer = config.vaultKey === '' ? undefined : new Sealer(config.vaultKey, sealingPurpose);
  const health = new ModelHealth(now);
  const startSpan = kit.tracing?.startClientSpan;
  const providerDeps = { log: kit.log, ...(startSpan ? { startSpan } : {}) };
  const providers = new KnownProviders({
    store,
    configured: makeProviders(config.providers, providerDeps),
    make: makeProviderWith(providerDeps),
    sealer,
    onChanged: (name) => health.forget(name),
  });
  const catalogue = new ModelCatalogue({
    descriptions: () => [providers.descriptions(), config.descriptions],
    currency,
  });
  const labels = new ModelLabels({ config, catalogue, providers });
  const reloadProviders = async (newest?: number): Promise<void> => {
    await providers.reload(newest);
    labels.update();
  };
  const known = new KnownChoices({ choices, reloadProviders, now });
  const read = makeReadSettings({ known, config });
  const testTokens = new TokenBuckets(testLimit, () => now().getTime());
  const userDataStores: readonly UserDataStore[] = [choices];
  return {
    userDataStores,
    currency,
    /** Returns the price set for a model at run time; `knownPriceOf` covers the whole catalogue. */
    addedPriceOf: (name: string) => providers.descriptions().get(name)?.prices,
    knownPriceOf: (name: string) => catalogue.priceOf(name),
    priceOf: deps.priceOf,
    labelOf: (name: string) => labels.of(name),
    chooser: makeModelChooser({ read, catalogue, providers, health }),
    setModel: makeSetModel({ agents, directory, choices, known, providers, wait, now }),
    getModel: makeGetModel({ read, catalogue, providers, health, agents, directory }),
    listModels: makeListModels({ config, catalogue, providers, known }),
    testModel: makeTestModel({
      configured: config.providers,
      providers,
      known,
      meter,
      usage,
      takeToken: (bucket) => testTokens.take(bucket),
      now,
    }),
    addProvider: makeAddProvider({ store, sealer, known, wait }),
    removeProvider: makeRemoveProvider({ store, sealer, known, wait }),
    listProviders: makeListProviders({ configured: config.providers, known, providers }),
  };
}

const sealingPurpose = 'daycare keys of model providers';
