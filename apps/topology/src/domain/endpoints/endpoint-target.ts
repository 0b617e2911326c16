import type { FieldChecks } from '@daycare/api';

/** Where an endpoint's requests go. */
export type EndpointTarget =
  | { readonly kind: 'port'; readonly port: number }
  /** A Unix socket, relative to the user's home. */
  | { readonly kind: 'unix'; readonly path: string }
  /** An agent, which receives each post as a message; such an endpoint is called a webhook. */
  | { readonly kind: 'agent'; readonly agentId: string };

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** What the operator allows users to expose. */
export interface TargetRules {
  /** Empty when no port may be exposed. */
  readonly ports: readonly PortRange[];
}

const maxPathCharacters = 1_024;
const maxNameBytes = 255;

/** Records what is wrong with a target that a caller has named. Whether the agent exists is checked elsewhere. */
export function checkTarget(target: EndpointTarget, rules: TargetRules, checks: FieldChecks): void {
  switch (target.kind) {
    case 'port':
      checks.require(isAllowedPort(target.port, rules), 'target.port', portRule(rules));
      return;
    case 'unix':
      checks.require(
        isPathInHome(target.path),
        'target.unix_path',
        'must be a path relative to the home directory, without "." or "..", with names of at most 255 bytes',
      );
      return;
    case 'agent':
      checks.id(target.agentId, 'target.agent_id');
  }
}

/** Checked again for every request, because the operator may have changed the ranges. */
export function isAllowedPort(port: number, { ports }: TargetRules): boolean {
  return Number.isInteger(port) && ports.some(({ from, to }) => port >= from && port <= to);
}

/** Splits a socket's path into the names of the directories below the home and of the socket itself. */
export function pathNames(path: string): readonly string[] {
  return path.split('/');
}

/** Formats a target for people and models, e.g. `port:8080`. */
export function formatTarget(target: EndpointTarget): string {
  switch (target.kind) {
    case 'port':
      return `port:${target.port}`;
    case 'unix':
      return `unix:${target.path}`;
    case 'agent':
      return `agent:${target.agentId}`;
  }
}

function isPathInHome(path: string): boolean {
  return path.length <= maxPathCharacters && pathNames(path).every(isName);
}

function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return !/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(name) && bytesOf(name) <= maxNameBytes;
}

function bytesOf(name: string): number {
  return Buffer.byteLength(name);
}

function portRule({ ports }: TargetRules): string {
  if (ports.length === 0) return 'cannot be exposed: the operator allows no ports';
  const ranges = ports.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  return `must be a port that the operator allows: ${ranges.join(', ')}`;
}
