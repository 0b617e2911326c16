import type { AppError } from '@daycare/errors';
import type { ModelAnswer, ModelProvider, ModelRequest } from '../runtime/model-provider';

/** A request with everything in it but what the test is about. */
export function newRequest(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'model-1',
    systemPrompt: 'You are Ada.',
    context: [{ role: 'user', text: 'Hello', files: [] }],
    tools: [],
    signal: new AbortController().signal,
    onDelta: () => undefined,
    ...request,
  };
}

/** An answer and the pieces of text that came before it. */
export async function ask(
  provider: ModelProvider,
  request: Partial<ModelRequest> = {},
): Promise<ModelAnswer & { deltas: string[] }> {
  const deltas: string[] = [];
  const onDelta = (text: string) => void deltas.push(text);
  const answer = await provider.answer(newRequest({ onDelta, ...request }));
  return { ...answer, deltas };
}

/** What a provider fails with. */
export async function failureOf(
  provider: ModelProvider,
  request: Partial<ModelRequest> = {},
): Promise<AppError> {
  const outcome = await ask(provider, request).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome as AppError;
  throw new Error('the provider answered');
}
