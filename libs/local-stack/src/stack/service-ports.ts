import {
  portVariable,
  preferredEdgePort,
  preferredPorts,
  type ServiceName,
} from '../services/service-catalog';
import { planPorts, type PlannedPort, type PortWish } from './plan-ports';

const host = '127.0.0.1';

/** The addresses of one service, kept free for it until `open`. */
export interface ServicePorts {
  readonly grpcAddress: string;
  readonly httpAddress: string;
  /** Of the HTTP edge, which only topology has. */
  readonly edgeAddress: string | undefined;
  /** To be called right before the service starts to listen. */
  open(): Promise<void>;
  giveUp(): Promise<void>;
}

/** Finds the ports of all services at once, so that each can be told where its peers will be. */
export async function planServicePorts(
  names: readonly ServiceName[],
  configured: Readonly<Partial<Record<ServiceName, number>>>,
): Promise<Map<ServiceName, ServicePorts>> {
  const wishes = names.map((name) => wishesOf(name, configured[name]));
  const planned = await planPorts(wishes.flat());
  return new Map(
    names.flatMap((name, index) => {
      const [grpc, http, edge] = planned.splice(0, wishes[index]?.length);
      return grpc && http ? [[name, toServicePorts(grpc, http, edge)] as const] : [];
    }),
  );
}

function wishesOf(name: ServiceName, port: number | undefined): PortWish[] {
  const edge = { owner: `${name} (edge)`, preferred: preferredEdgePort };
  return [grpcWish(name, port), httpWish(name), ...(name === 'topology' ? [edge] : [])];
}

function grpcWish(name: ServiceName, port: number | undefined): PortWish {
  return port === undefined
    ? { owner: name, preferred: preferredPorts[name] }
    : { owner: name, configured: { port, variable: portVariable(name) } };
}

function httpWish(name: ServiceName): PortWish {
  return { owner: `${name} (HTTP)` };
}

function toServicePorts(
  grpc: PlannedPort,
  http: PlannedPort,
  edge: PlannedPort | undefined,
): ServicePorts {
  const ports = [grpc, http, ...(edge ? [edge] : [])];
  return {
    grpcAddress: `${host}:${grpc.port}`,
    httpAddress: `${host}:${http.port}`,
    edgeAddress: edge && `${host}:${edge.port}`,
    async open() {
      await Promise.all(ports.map((port) => port.open()));
    },
    async giveUp() {
      await Promise.all(ports.map((port) => port.giveUp()));
    },
  };
}
