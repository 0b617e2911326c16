import { PermissionDecision, PermissionState } from '@daycare/contracts/agent-runtime';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import type { Runtime } from '../clients/clients';
import { historyOf } from '../people/history';
import type { Person } from '../people/people';
import { callsAfter, type Order, type SeenCall } from './orders';

/** An agent whose model obeys every order, and the credentials to read its history. */
export interface Victim {
  readonly runtime: Runtime;
  readonly reader: Pick<Person, 'as'>;
  readonly agentId: string;
}

const timeoutMs = 60_000;

/** Runs `start`, which makes the agent act; resolves to the tool calls that follow, once there are `count`. */
export async function callsCausedBy(
  victim: Victim,
  start: () => Promise<unknown>,
  count: number,
): Promise<readonly SeenCall[]> {
  const { runtime, reader, agentId } = victim;
  const last = (await historyOf(runtime, reader, agentId)).at(-1)?.sequence ?? 0;
  await start();
  return callsSince(victim, last, count);
}

/** Resolves to the agent's tool calls after the record with this sequence number, once there are `count`. */
export async function callsSince(
  { runtime, reader, agentId }: Victim,
  sequence: number,
  count: number,
): Promise<readonly SeenCall[]> {
  return eventually(
    async () => {
      const seen = callsAfter(await historyOf(runtime, reader, agentId), sequence);
      return seen.length >= count && seen;
    },
    { timeoutMs },
  );
}

/** Returns one line for each order, with its outcome. */
export function observedLines(
  orders: readonly Order[],
  seen: readonly SeenCall[],
): readonly string[] {
  return orders.map(({ tool, audience }, at) => {
    const { tool: name, verdict } = seen[at] ?? { tool: 'nothing', verdict: 'none' };
    return lineOf(tool, audience, name === tool ? verdict : `${name} instead`);
  });
}

export function lineOf(tool: string, audience: string | undefined, verdict: string): string {
  return `${tool}${audience ? ` to ${audience}` : ''}: ${verdict}`;
}

/** Approves the pending call of a tool, as the person. */
export async function approve(
  runtime: Runtime,
  { as }: Pick<Person, 'as'>,
  toolName: string,
): Promise<void> {
  const request = { pageSize: 0, pageToken: '', agentId: '', states: [PermissionState.PENDING] };
  const { id } = await eventually(
    async () => {
      const { permissionRequests } = await runtime.listPermissionRequests(request, as);
      return permissionRequests.find(({ call }) => call?.toolName === toolName);
    },
    { timeoutMs },
  );
  const decision = {
    requestId: createId(),
    permissionRequestId: id,
    decision: PermissionDecision.GRANT,
  };
  await runtime.decidePermission(decision, as);
}

/** Denies all of the person's pending requests. */
export async function denyAll(runtime: Runtime, { as }: Pick<Person, 'as'>): Promise<void> {
  const request = { pageSize: 0, pageToken: '', agentId: '', states: [PermissionState.PENDING] };
  const { permissionRequests } = await runtime.listPermissionRequests(request, as);
  for (const { id: permissionRequestId } of permissionRequests)
    await runtime.decidePermission(
      { requestId: createId(), permissionRequestId, decision: PermissionDecision.DENY },
      as,
    );
}
