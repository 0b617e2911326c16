import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { ServiceKit, UserDataStore } from '@daycare/service-kit';
import type { AgentReader, AgentWriter, Directory, UsageWriter } from '../agents';
import type { MeterCalls } from '../spending';
import { ModelCatalogue } from './catalogue/model-catalogue';
import type { ModelsConfig } from './models-config';
import { makeProviders } from './providers/vendors/provider-registry';
import { choiceIndexes, ChoiceStore } from './store/choice-store';
import { makeModelChooser } from './usecases/choose-model';
import { makeGetModel } from './usecases/get-model';
import { KnownChoices } from './usecases/known-choices';
import { makeLabelOf, makeListModels } from './usecases/list-models';
import { ModelHealth } from './usecases/model-health';
import { makeReadSettings } from './usecases/model-settings';
import { makeSetModel } from './usecases/set-model';
import { makeTestModel } from './usecases/test-model';

export const modelsIndexes: readonly CollectionIndexes[] = [choiceIndexes];

export interface ModelsDeps {
  readonly db: Db;
  readonly config: ModelsConfig;
  readonly currency: string;
  readonly agents: Pick<AgentReader, 'find'> & Pick<AgentWriter, 'configure'>;
  readonly usage: UsageWriter;
  readonly meter: Pick<MeterCalls, 'begin' | 'settle'>;
  readonly directory: Directory;
  readonly kit: Pick<ServiceKit, 'log'> & Partial<Pick<ServiceKit, 'tracing'>>;
  readonly now: () => Date;
}

export type Models = ReturnType<typeof buildModels>;

/** The model providers, what is known about their models, and which agent uses which. */
export function buildModels(deps: ModelsDeps) {
  const { config, currency, agents, usage, meter, directory, kit, now } = deps;
  const choices = new ChoiceStore(deps.db);
  const known = new KnownChoices({ choices, now });
  const catalogue = new ModelCatalogue({ described: config.described, currency });
  const startSpan = kit.tracing?.startClientSpan;
  const providers = makeProviders(config.providers, {
    log: kit.log,
    ...(startSpan ? { startSpan } : {}),
  });
  const read = makeReadSettings({ known, config });
  const choosing = { read, catalogue, providers, health: new ModelHealth(now) };
  const userDataStores: readonly UserDataStore[] = [choices];
  return {
    userDataStores,
    currency,
    priceOf: (name: string) => catalogue.priceOf(name),
    labelOf: makeLabelOf({ config, catalogue, providers }),
    chooser: makeModelChooser(choosing),
    setModel: makeSetModel({ agents, directory, choices, known, providers, wait }),
    getModel: makeGetModel({ ...choosing, agents, directory }),
    listModels: makeListModels({ config, catalogue, providers }),
    testModel: makeTestModel({ providers, meter, usage, now }),
  };
}
