import type { User } from '@daycare/contracts/identity';
import type { Stack } from './stack';
import type { Actor } from '../people/agents';

/** A subuser's gateway that refuses messages until `wake` is called; they become dead letters. */
export interface SilentGateway extends Actor {
  readonly wake: () => Promise<void>;
}

/** Marks the gateway as dead in the database, because no call ends a gateway while its subuser exists. */
export async function silentGateway(
  { agents, db }: Pick<Stack, 'agents' | 'db'>,
  subuser: User,
): Promise<SilentGateway> {
  const gateway = await agents.gateway(subuser);
  const stored = db('agent-runtime').collection<{ _id: string }>('agents');
  await stored.updateOne({ _id: gateway.id }, { $set: { diedAt: new Date() } });
  const wake = async (): Promise<void> => {
    await stored.updateOne({ _id: gateway.id }, { $unset: { diedAt: '' } });
  };
  return { ...gateway, wake };
}
