import type { NamedContext } from '../client/context';
import type { ContextStore } from '../client/context-store';
import type { Session } from '../client/session';
import type { Settings } from '../config';
import type { Format } from '../output/printer';

/** The options that every command has. */
export interface GlobalOptions {
  readonly context?: string;
  readonly output: Format;
  readonly timeout: number;
  readonly requestId?: string;
}

const defaultTimeoutMs = 10_000;

/** One run of the program: what was asked for globally, and what it leads to. */
export interface Invocation {
  readonly settings: Settings;
  readonly global: GlobalOptions;
  readonly timeoutMs: number;
  readonly store: () => Promise<ContextStore>;
  /** The context that the command is about. */
  readonly chosen: () => Promise<NamedContext>;
  readonly session: () => Promise<Session>;
  readonly close: () => void;
}

/** Loads what talks to services only when a command needs it: help must be quick. */
export function beginInvocation(settings: Settings, global: GlobalOptions): Invocation {
  let opening: Promise<Session> | undefined;
  let opened: Session | undefined;
  const timeoutMs = global.timeout * 1_000 || defaultTimeoutMs;
  const store = async (): Promise<ContextStore> => {
    const { ContextStore: Store } = await import('../client/context-store.ts');
    return new Store(settings.configFile);
  };
  const chosen = async (): Promise<NamedContext> => {
    const { chooseContext } = await import('../client/choose-context.ts');
    return chooseContext(await (await store()).read(), global.context ?? settings.context);
  };
  const open = async (): Promise<Session> => {
    const [{ Session: Opened }, { RequestIds }] = await Promise.all([
      import('../client/session.ts'),
      import('../client/request-ids.ts'),
    ]);
    const requestIds = new RequestIds(global.requestId);
    const parts = { settings, timeoutMs, requestIds, store: await store(), chosen: await chosen() };
    return (opened = new Opened(parts));
  };
  const session = (): Promise<Session> => (opening ??= open());
  return { settings, global, timeoutMs, store, chosen, session, close: () => opened?.close() };
}
