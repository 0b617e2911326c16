import type { Endpoints } from '../rpc/endpoints-client';

type Made = Awaited<ReturnType<Endpoints['create']>>;

/** What a model reads of an endpoint that was made or changed. The password is there once only. */
export function answerOf(summary: string, { endpoint, password }: Made) {
  if (password === '') return { summary, ...endpoint };
  const note = 'The password is shown here and never again: tell your user now';
  return { summary, ...endpoint, password, note };
}
