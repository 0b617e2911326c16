import type { NamedContext } from '../../client/contexts/context';
import type { ContextStore } from '../../client/contexts/context-store';
import type { Session } from '../../client/session';
import type { Settings } from '../../config';
import type { Format } from '../../output/printer';

/** The options that every command has. */
export interface GlobalOptions {
  readonly context?: string;
  readonly output: Format;
  /** In seconds. */
  readonly timeout: number;
  readonly requestId?: string;
}

const defaultTimeoutMs = 10_000;

/** One run of the program: its global options, and lazy access to contexts and services. */
export interface Invocation {
  readonly settings: Settings;
  readonly global: GlobalOptions;
  readonly timeoutMs: number;
  readonly store: () => Promise<ContextStore>;
  /** The context that the command uses. */
  readonly chosen: () => Promise<NamedContext>;
  readonly session: () => Promise<Session>;
  readonly close: () => void;
}

/** Loads the client code only when a command needs it, to keep `help` fast. */
export function beginInvocation(settings: Settings, global: GlobalOptions): Invocation {
  let opening: Promise<Session> | undefined;
  let opened: Session | undefined;
  const timeoutMs = global.timeout * 1_000 || defaultTimeoutMs;
  const store = async (): Promise<ContextStore> => {
    const { ContextStore: Store } = await import('../../client/contexts/context-store.ts');
    return new Store(settings.configFile);
  };
  const chosen = async (): Promise<NamedContext> => {
    const { chooseContext } = await import('../../client/contexts/choose-context.ts');
    return chooseContext(await (await store()).read(), global.context ?? settings.context);
  };
  const open = async (): Promise<Session> => {
    const [{ Session: Opened }, { RequestIds }] = await Promise.all([
      import('../../client/session.ts'),
      import('../../client/rpc/request-ids.ts'),
    ]);
    const requestIds = new RequestIds(global.requestId);
    return (opened = new Opened({
      settings,
      timeoutMs,
      requestIds,
      store: await store(),
      chosen: await chosen(),
    }));
  };
  const session = (): Promise<Session> => (opening ??= open());
  return { settings, global, timeoutMs, store, chosen, session, close: () => opened?.close() };
}
