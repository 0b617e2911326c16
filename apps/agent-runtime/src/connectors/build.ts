import { makeWatchConnector, type WatchConnectorDeps } from './usecases/watch-connector';

export type ConnectorsDeps = Pick<
  WatchConnectorDeps,
  | 'agents'
  | 'entries'
  | 'isConnected'
  | 'listen'
  | 'listenToPermissions'
  | 'permissions'
  | 'stopping'
>;

export type Connectors = ReturnType<typeof buildConnectors>;

const pollMs = 2_000;
const gatherMs = 20;

/** Builds the event stream for clients that carry messages between people and their agents. */
export function buildConnectors(deps: ConnectorsDeps) {
  return {
    watchConnector: makeWatchConnector({
      agents: deps.agents,
      entries: deps.entries,
      permissions: deps.permissions,
      listen: deps.listen,
      listenToPermissions: deps.listenToPermissions,
      isConnected: deps.isConnected,
      stopping: deps.stopping,
      pollMs,
      gatherMs,
      clock: () => performance.now(),
    }),
  };
}
