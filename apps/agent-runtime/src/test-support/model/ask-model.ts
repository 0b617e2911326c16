import type { AppError } from '@daycare/api';
import type {
  ModelAnswer,
  ModelProvider,
  ModelRequest,
} from '../../models/providers/model-provider';

/** A request with defaults for everything that does not matter to the test. */
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

/** Requests an answer; returns it with the deltas that preceded it. */
export async function ask(
  provider: ModelProvider,
  request: Partial<ModelRequest> = {},
): Promise<ModelAnswer & { deltas: string[] }> {
  const deltas: string[] = [];
  const onDelta = (text: string) => void deltas.push(text);
  const answer = await provider.answer(newRequest({ onDelta, ...request }));
  return { ...answer, deltas };
}

/** Returns the error with which the provider fails. */
export async function failureOf(
  provider: ModelProvider,
  request: Partial<ModelRequest> = {},
): Promise<AppError> {
  const outcome = await ask(provider, request).catch((error: unknown) => error);
  if (outcome instanceof Error) return outcome as AppError;
  throw new Error('the provider answered');
}
