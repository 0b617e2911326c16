import {
  portVariable,
  preferredEdgePort,
  preferredPorts,
  type AppName,
} from '../services/service-catalog';
import { planPorts, type PlannedPort, type PortRequest } from './plan-ports';

const host = '127.0.0.1';

/** The addresses of one service, reserved until `open`. */
export interface ServicePorts {
  readonly grpcAddress: string;
  readonly httpAddress: string;
  /** The HTTP edge, which only topology has. */
  readonly edgeAddress: string | undefined;
  /** Call it right before the service starts listening. */
  open(): Promise<void>;
  release(): Promise<void>;
}

/** Reserves the ports of all services together, so that each gets the addresses of its peers. */
export async function planServicePorts(
  names: readonly AppName[],
  configured: Readonly<Partial<Record<AppName, number>>>,
): Promise<Map<AppName, ServicePorts>> {
  const requests = names.map((name) => portRequestsOf(name, configured[name]));
  const planned = await planPorts(requests.flat());
  return new Map(
    names.flatMap((name, index) => {
      const [grpc, http, edge] = planned.splice(0, requests[index]?.length);
      return grpc && http ? [[name, toServicePorts(grpc, http, edge)] as const] : [];
    }),
  );
}

function portRequestsOf(name: AppName, port: number | undefined): PortRequest[] {
  const edge = { owner: `${name} (edge)`, preferred: preferredEdgePort };
  return [
    grpcPortRequest(name, port),
    httpPortRequest(name),
    ...(name === 'topology' ? [edge] : []),
  ];
}

function grpcPortRequest(name: AppName, port: number | undefined): PortRequest {
  return port === undefined
    ? { owner: name, preferred: preferredPorts[name] }
    : { owner: name, configured: { port, variable: portVariable(name) } };
}

function httpPortRequest(name: AppName): PortRequest {
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
    async release() {
      await Promise.all(ports.map((port) => port.release()));
    },
  };
}
