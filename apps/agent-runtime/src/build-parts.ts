import { createId } from '@paralleldrive/cuid2';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { shardOf, type SystemStream } from '@daycare/messaging';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import { makeSweepGoneUsers, type Membership } from '@daycare/service-kit';
import type { Config } from './config';
import type { AgentRole } from './domain/descriptor-kinds';
import { type makeHintChanges } from './hint-changes';
import type { UserHomes } from './home/user-homes';
import { type LiveFeed } from './runtime/live-feed';
import type { Providers } from './runtime/providers/provider-registry';
import type { Stores } from './store/open-stores';
import {
  makeDeliverSystemMessage,
  makeRedeliverSystemMessage,
} from './usecases/deliver-system-message';
import { makeFindOrMakeAgent } from './usecases/ensure-agent';
import { makeForgetUser } from './usecases/forget-user';
import { makeKeepUndelivered } from './usecases/keep-undelivered';
import { makePutItems } from './usecases/put-items';
import { makeRankForeground } from './usecases/rank-foreground';
import { makeRouteMailbox } from './usecases/route-mailbox';
import { makeTellAgent } from './usecases/tell-agent';

const now = (): Date => new Date();

/** What the service stands on. */
export interface Surroundings {
  readonly feed: LiveFeed;
  readonly hint: ReturnType<typeof makeHintChanges>;
  readonly stream: SystemStream;
  readonly providers: Providers;
  readonly wakeOutbox: (lanes: readonly string[]) => void;
  /** Undefined where users have no directories. */
  readonly homes: UserHomes | undefined;
}

export type Parts = ReturnType<typeof buildParts>;

/** What calls, messages and turns share. */
export function buildParts(
  { sleepAfterMs, tls, socialGraphAddress, topologyAddress }: Config,
  stores: Stores,
  { directory }: Membership,
  { feed, hint, stream, providers, wakeOutbox, homes }: Surroundings,
) {
  const modelFor = (role: AgentRole) => providers.defaultFor(role);
  const common = { ...stores, directory, now, sleepAfterMs, modelFor, newId: createId };
  const wake = (shard: number, agentIds: readonly string[]): void => feed.wake(shard, agentIds);
  const shardOfUser = (userId: string): number => shardOf(userId, stream.shards);
  const putItems = hint.waking(makePutItems({ ...stores, wake }));
  const rankForeground = makeRankForeground(common);
  const routeMailbox = makeRouteMailbox({ ...common, rankForeground, putItems });
  const routing = { ...common, putItems, routeMailbox, shardOf: shardOfUser };
  const redeliver = makeRedeliverSystemMessage(routing);
  const keepers = homes ? [...stores.keepers, homes] : stores.keepers;
  const forgetUser = makeForgetUser({ ...common, keepers });
  const credentials = channelCredentials(tls);
  return {
    wake,
    homes,
    shardOf: shardOfUser,
    putItems,
    rankForeground,
    routeMailbox,
    redeliver,
    forgetUser,
    socialGraph: createRpcClient(SocialGraphServiceService, {
      address: socialGraphAddress,
      credentials,
    }),
    topology: createRpcClient(TopologyServiceService, { address: topologyAddress, credentials }),
    deliver: makeDeliverSystemMessage(stores, redeliver),
    keepUndelivered: makeKeepUndelivered(common),
    findOrMakeAgent: hint.making(makeFindOrMakeAgent(routing)),
    tellAgent: makeTellAgent({ ...common, putItems, wakeOutbox }),
    sweepGoneUsers: makeSweepGoneUsers(common, forgetUser),
  };
}
