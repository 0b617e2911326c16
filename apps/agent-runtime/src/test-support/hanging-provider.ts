import { localProvider } from '../models/providers/local-provider';
import type { ModelProvider } from '../models/providers/model-provider';

export const never = new Promise<never>(() => undefined);

/** A gate that is closed until `open` is called; `opened` resolves when it is opened. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/**
 * The local provider, except that it hangs on messages that contain "hang" and do not start with "/", even if the
 * call is aborted.
 */
export function hangingProvider() {
  const receivedTexts: string[] = [];
  const provider: ModelProvider = {
    ...localProvider,
    async answer(request) {
      const last = request.context.at(-1);
      const text = last?.role === 'user' ? last.text : '';
      receivedTexts.push(text);
      if (text.includes('hang') && !text.startsWith('/')) await never;
      return localProvider.answer(request);
    },
  };
  return { provider, receivedTexts };
}
