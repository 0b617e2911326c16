import { AppError } from '@daycare/errors';
import { guardWording, refuseMessage, type RunawayGuards } from '../domain/runaway-guards';
import type { ToolContext } from './tool';

/** Throws when agents have set each other to work too often in a row for another to be. */
export function guardHops({ hops }: Pick<ToolContext, 'hops'>, guards: RunawayGuards): void {
  const refusal = refuseMessage(hops + 1, guards);
  if (refusal) throw new AppError('QUOTA_EXCEEDED', guardWording[refusal]);
}
