import { portVariable, preferredPorts, type ServiceName } from '../services/service-catalog';
import { planPorts, type PlannedPort, type PortWish } from './plan-ports';

const host = '127.0.0.1';

/** The two addresses of one service, kept free for it until `open`. */
export interface ServicePorts {
  readonly grpcAddress: string;
  readonly httpAddress: string;
  /** To be called right before the service starts to listen. */
  open(): Promise<void>;
  giveUp(): Promise<void>;
}

/** Finds the ports of all services at once, so that each can be told where its peers will be. */
export async function planServicePorts(
  names: readonly ServiceName[],
  configured: Readonly<Partial<Record<ServiceName, number>>>,
): Promise<Map<ServiceName, ServicePorts>> {
  const wishes = names.flatMap((name) => [grpcWish(name, configured[name]), httpWish(name)]);
  const planned = await planPorts(wishes);
  return new Map(
    names.flatMap((name, index) => {
      const [grpc, http] = planned.slice(index * 2);
      return grpc && http ? [[name, toServicePorts(grpc, http)] as const] : [];
    }),
  );
}

function grpcWish(name: ServiceName, port: number | undefined): PortWish {
  return port === undefined
    ? { owner: name, preferred: preferredPorts[name] }
    : { owner: name, configured: { port, variable: portVariable(name) } };
}

function httpWish(name: ServiceName): PortWish {
  return { owner: `${name} (HTTP)` };
}

function toServicePorts(grpc: PlannedPort, http: PlannedPort): ServicePorts {
  return {
    grpcAddress: `${host}:${grpc.port}`,
    httpAddress: `${host}:${http.port}`,
    async open() {
      await Promise.all([grpc.open(), http.open()]);
    },
    async giveUp() {
      await Promise.all([grpc.giveUp(), http.giveUp()]);
    },
  };
}
