import type { Db } from 'mongodb';
import type { CollectionIndexes } from '@daycare/mongo';
import type { ServiceKit, UserDataStore } from '@daycare/service-kit';
import type { AgentReader, Directory, RankForeground, UsageReader } from '../agents';
import type { DeliverToAgent } from '../messaging';
import { priceOf, type Price } from './domain/price';
import type { SpendingConfig } from './spending-config';
import { recordCalls } from './spending-metrics';
import { accountIndexes, AccountStore } from './store/account-store';
import { makeGetUsage } from './usecases/get-usage';
import { KnownBudgets } from './usecases/known-budgets';
import { makeListBudgets } from './usecases/list-budgets';
import { makeMeterCalls } from './usecases/meter-calls';
import { makeNotifyRefused } from './usecases/notify-refused';
import { makeRecountAccount } from './usecases/recount-account';
import { makeSetBudget } from './usecases/set-budget';

export const spendingIndexes: readonly CollectionIndexes[] = [accountIndexes];

export interface SpendingDeps {
  readonly db: Db;
  readonly agents: AgentReader;
  readonly usage: UsageReader;
  readonly directory: Directory;
  readonly rankForeground: RankForeground;
  readonly deliverToAgent: DeliverToAgent;
  readonly config: SpendingConfig;
  /**
   * The price set at run time for a model (`provider/model`); takes precedence over the configuration.
   */
  readonly addedPrice: (model: string) => Price | undefined;
  /** The price of a model in the catalogue; used if no other price is set. */
  readonly knownPrice: (model: string) => Price | undefined;
  /** A model's name in metrics. */
  readonly modelLabel: (model: string) => string;
  readonly kit: {
    readonly log: { warn(fields: object, text: string): void };
    readonly metrics: Pick<ServiceKit['metrics'], 'registry'>;
  };
  readonly now: () => Date;
}

export type Spending = ReturnType<typeof buildSpending>;

/** Builds the usage of model calls, and the budgets that limit it. */
export function buildSpending(deps: SpendingDeps) {
  const { agents, usage, directory, now } = deps;
  const { log, metrics } = deps.kit;
  const { currency, prices, answerTokens } = deps.config;
  const priceOfModel = (model: string): Price | undefined =>
    deps.addedPrice(model) ?? priceOf(prices, model) ?? deps.knownPrice(model);
  const accounts = new AccountStore(deps.db);
  const knownBudgets = new KnownBudgets({ accounts, log, now });
  const recount = makeRecountAccount({ accounts, usage, log, now });
  const notifyRefused = makeNotifyRefused({
    accounts,
    rankForeground: deps.rankForeground,
    deliverToAgent: deps.deliverToAgent,
    currency,
    log,
  });
  const userDataStores: readonly UserDataStore[] = [accounts];
  return {
    userDataStores,
    currency,
    priceOf: priceOfModel,
    meter: makeMeterCalls({
      accounts,
      knownBudgets,
      recount,
      notifyRefused,
      priceOf: priceOfModel,
      currency,
      answerTokens,
      observe: recordCalls(metrics, deps.modelLabel),
      log,
      now,
    }),
    getUsage: makeGetUsage({ agents, directory, usage, now }),
    setBudget: makeSetBudget({ agents, directory, accounts, knownBudgets, recount, now }),
    listBudgets: makeListBudgets({ agents, directory, accounts, now }),
  };
}
