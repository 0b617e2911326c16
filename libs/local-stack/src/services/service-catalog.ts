import { join } from 'node:path';

export const serviceNames = ['identity', 'social-graph', 'agent-runtime', 'topology'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The gRPC ports that clients and documents may count on while nobody else has them. */
export const preferredPorts: Readonly<Record<ServiceName, number>> = {
  identity: 50_051,
  'social-graph': 50_052,
  'agent-runtime': 50_053,
  topology: 50_054,
};

/** The port of topology's HTTP edge, on the same terms. */
export const preferredEdgePort = 8_090;

/** The variable that tells every service where its peer is, such as DAYCARE_IDENTITY_ADDRESS. */
export function addressVariable(name: ServiceName): string {
  return `DAYCARE_${toConstantCase(name)}_ADDRESS`;
}

/** The variable by which a person asks for a gRPC port, such as DAYCARE_IDENTITY_PORT. */
export function portVariable(name: ServiceName): string {
  return `DAYCARE_${toConstantCase(name)}_PORT`;
}

/** Where the build puts a service. */
export function bundlePath(workspaceRoot: string, name: string): string {
  return join(workspaceRoot, 'dist', name, 'main.js');
}

function toConstantCase(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
