import { AppError } from '@daycare/api';
import { guardWording, refuseMessage, type RunawayGuards } from '../../agents';
import type { ToolContext } from './tool';

/** Throws when so many agents have triggered each other that this call must not trigger another. */
export function guardHops({ hops }: Pick<ToolContext, 'hops'>, guards: RunawayGuards): void {
  const refusal = refuseMessage(hops + 1, guards);
  if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
}
