import type { FieldChecks } from '@daycare/errors';

/** Where the requests of an endpoint go. */
export type EndpointTarget =
  | { readonly kind: 'port'; readonly port: number }
  /** A Unix socket, relative to the user's home. */
  | { readonly kind: 'unix'; readonly path: string }
  /** A webhook. */
  | { readonly kind: 'agent'; readonly agentId: string };

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** What the operator lets users expose. */
export interface TargetRules {
  /** Empty when no port may be exposed. */
  readonly ports: readonly PortRange[];
}

const mostPathCharacters = 1_024;
const mostNameBytes = 255;

/** Records what is wrong with a target that a caller named. Whether the agent exists is for others to say. */
export function checkTarget(target: EndpointTarget, rules: TargetRules, checks: FieldChecks): void {
  switch (target.kind) {
    case 'port':
      checks.require(isAllowedPort(target.port, rules), 'target.port', mustBeAllowed(rules));
      return;
    case 'unix':
      checks.require(
        isPathInHome(target.path),
        'target.unix_path',
        'must be a path inside the home, without "." and "..", of names up to 255 bytes',
      );
      return;
    case 'agent':
      checks.id(target.agentId, 'target.agent_id');
  }
}

/** Asked again with every request: the operator may have changed the range. */
export function isAllowedPort(port: number, { ports }: TargetRules): boolean {
  return Number.isInteger(port) && ports.some(({ from, to }) => port >= from && port <= to);
}

/** The names on the way from the home to the socket, which is the last. */
export function pathNames(path: string): readonly string[] {
  return path.split('/');
}

/** As people and models write it. */
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
  return path.length <= mostPathCharacters && pathNames(path).every(isName);
}

function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return !/[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(name) && bytesOf(name) <= mostNameBytes;
}

function bytesOf(name: string): number {
  return Buffer.byteLength(name);
}

function mustBeAllowed({ ports }: TargetRules): string {
  if (ports.length === 0) return 'cannot be exposed: the operator allows no ports';
  const ranges = ports.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
  return `must be a port that the operator allows: ${ranges.join(', ')}`;
}
