import type { AppName } from '../services/service-catalog';
import { planServicePorts, type ServicePorts } from './service-ports';
import type { PartName } from './stack-event';

/** One process of a service. */
export interface Instance {
  readonly name: AppName;
  /** The service's name, followed by a number for all but its first process. */
  readonly part: PartName;
  readonly ports: ServicePorts;
}

export interface InstancePlan {
  readonly names: readonly AppName[];
  /** The ports that a person has set, which apply to the first process of each service. */
  readonly configured: Readonly<Partial<Record<AppName, number>>>;
  /** How many processes each service has; the gateway always has one. */
  readonly replicas: number;
}

/** Reserves the ports of all processes before any of them starts, so that each gets the addresses of its peers. */
export async function planInstances({
  names,
  configured,
  replicas,
}: InstancePlan): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (let replica = 1; replica <= replicas; replica += 1) {
    const planned = names.filter((name) => replica === 1 || name !== 'gateway');
    const ports = await planServicePorts(planned, replica === 1 ? configured : {});
    for (const [name, servicePorts] of ports)
      instances.push({
        name,
        ports: servicePorts,
        part: replica === 1 ? name : `${name}-${replica}`,
      });
  }
  return instances;
}

/** Returns each service's address for its peers, which distribute their calls among all of its processes. */
export function peerAddresses(instances: readonly Instance[]): Partial<Record<AppName, string>> {
  const addresses = new Map<AppName, string[]>();
  for (const { name, ports } of instances)
    addresses.set(name, [...(addresses.get(name) ?? []), ports.grpcAddress]);
  return Object.fromEntries(
    [...addresses].map(([name, all]) => [name, all.length === 1 ? all[0] : `ipv4:${all.join()}`]),
  );
}
