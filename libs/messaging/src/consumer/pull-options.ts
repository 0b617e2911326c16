import type { ConsumeOptions, ServerInfo } from 'nats';

const fromCluster = { expires: 5_000, idle_heartbeat: 1_000 };
const fromOneServer = { expires: 10_000, idle_heartbeat: 5_000 };

/**
 * Returns how long a pull lasts and how often the server shows that it is alive; two missing heartbeats in a row show
 * that the delivering server is out of reach. A single server that crashes closes the connection, so its
 * heartbeats may be less frequent. Pulls are short, because the server sends messages even to a frozen consumer until
 * its pull expires. An unknown server may belong to a cluster, so it is treated as if it did.
 */
export function pullOptions(server: Pick<ServerInfo, 'cluster'> | undefined): ConsumeOptions {
  return server && !server.cluster ? fromOneServer : fromCluster;
}
