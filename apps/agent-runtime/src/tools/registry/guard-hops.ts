import { AppError } from '@daycare/api';
import { guardWording, messageRefusal, type RunawayGuards } from '../../agents';
import type { ToolContext } from './tool';

/** Throws QUOTA_EXCEEDED if this call would make the chain of agents that triggered each other too long. */
export function guardHops({ hops }: Pick<ToolContext, 'hops'>, guards: RunawayGuards): void {
  const refusal = messageRefusal(hops + 1, guards);
  if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
}
