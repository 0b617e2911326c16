import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import { TopologyServiceService } from '@daycare/contracts/topology';
import { channelCredentials, createRpcClient } from '@daycare/rpc';
import type { PeerAccess, ServiceKit, TlsConfig } from '@daycare/service-kit';
import { makeChannels } from './channels-client';
import { makeEndpoints } from './endpoints-client';
import { makeNamesOfSubusers, makeSubusers } from './identity-client';
import { makeSignals } from './signals-client';
import { makeDeliverAcrossUsers, makeFindRelation, makeFriends } from './social-graph-client';
import { makeQueueBehindWiredMessages, makeShowTopology } from './topology-client';
import { makeProfileOf, makeTimeZoneOf } from './user-profiles';

export interface PeersDeps {
  readonly identity: PeerAccess['identity'];
  readonly credential: PeerAccess['credential'];
  readonly socialGraphAddress: string;
  readonly topologyAddress: string;
  readonly tls: TlsConfig | undefined;
  readonly stop: ServiceKit['stop'];
}

/** Implements the features' ports by calling the other services. */
export function buildPeers(deps: PeersDeps) {
  const { identity, credential, stop } = deps;
  const credentials = channelCredentials(deps.tls);
  const onUnauthenticated = (): void => void credential.onRefused();
  const socialGraph = createRpcClient(SocialGraphServiceService, {
    address: deps.socialGraphAddress,
    credentials,
    onUnauthenticated,
  });
  const topology = createRpcClient(TopologyServiceService, {
    address: deps.topologyAddress,
    credentials,
    onUnauthenticated,
  });
  stop.add('close', 'social-graph client', async () => socialGraph.close());
  stop.add('close', 'topology client', async () => topology.close());
  return {
    profileOf: makeProfileOf({ identity, credential }),
    timeZoneOf: makeTimeZoneOf({ identity, credential }),
    subusers: makeSubusers(identity, credential),
    namesOfSubusers: makeNamesOfSubusers(identity, credential),
    findRelation: makeFindRelation(socialGraph, credential),
    deliverAcrossUsers: makeDeliverAcrossUsers(socialGraph, credential),
    queueBehindWiredMessages: makeQueueBehindWiredMessages(topology, credential),
    friends: makeFriends(socialGraph, credential),
    showTopology: makeShowTopology(topology, credential),
    signals: makeSignals(topology, credential),
    channels: makeChannels(topology, credential),
    endpoints: makeEndpoints(topology, credential),
  };
}
