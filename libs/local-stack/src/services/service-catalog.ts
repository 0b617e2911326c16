import { join } from 'node:path';

export const serviceNames = ['identity', 'social-graph', 'agent-runtime', 'topology'] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The apps of a stack: the services, and the gateway in front of them. */
export const appNames = [...serviceNames, 'gateway'] as const;

export type AppName = (typeof appNames)[number];

/** The documented ports, which are used if they are free. */
export const preferredPorts: Readonly<Record<AppName, number>> = {
  identity: 50_051,
  'social-graph': 50_052,
  'agent-runtime': 50_053,
  topology: 50_054,
  gateway: 8_080,
};

/** The documented port of topology's HTTP edge, which is used if it is free. */
export const preferredEdgePort = 8_090;

/**
 * The options with which node runs, as in the Dockerfile. A smaller young generation would be collected every
 * two seconds even when idle, and under load each collection would copy many objects that are still in use.
 */
export const nodeOptions = ['--min-semi-space-size=16', '--max-semi-space-size=32'] as const;

/** Returns the variable from which a service's peers read its address, such as DAYCARE_IDENTITY_ADDRESS. */
export function addressVariable(name: AppName): string {
  return `DAYCARE_${toConstantCase(name)}_ADDRESS`;
}

/** Returns the variable with which a person sets a port, such as DAYCARE_IDENTITY_PORT. */
export function portVariable(name: AppName): string {
  return `DAYCARE_${toConstantCase(name)}_PORT`;
}

/** Returns the path of a service's bundle. */
export function bundlePath(workspaceRoot: string, name: string): string {
  return join(workspaceRoot, 'dist', name, 'main.js');
}

function toConstantCase(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
