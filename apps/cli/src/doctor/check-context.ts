import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkServices, type ServiceHealth } from '../client/rpc/check-services';
import type { NamedContext } from '../client/contexts/context';
import type { ContextStore } from '../client/contexts/context-store';
import type { FoundStack } from '../client/contexts/local-stack';
import type { Session } from '../client/session';
import type { Settings } from '../config';
import { Failure } from '../failure/failure';
import { checkModels } from './check-models';
import { fail, ok, warn, type Check } from './check';
import { assessClock, assessConfigMode, assessRejectedToken } from './assess-sign-in';

/** What these checks need from a command's invocation. */
export interface ContextAccess {
  readonly settings: Settings;
  readonly global: { readonly context?: string };
  readonly timeoutMs: number;
  readonly store: () => Promise<ContextStore>;
  readonly chosen: () => Promise<NamedContext>;
  readonly session: () => Promise<Session>;
}

const startHint = 'Start one with "npm start".';

export function checkStack(stack: FoundStack | undefined, dataDir: string): Check {
  return stack
    ? ok('stack', `running in ${dataDir}`)
    : warn('stack', `not running in ${dataDir}`, startHint);
}

/** Checks the file that stores contexts and their tokens. */
export async function checkConfig({
  settings: { configFile },
  store,
}: ContextAccess): Promise<Check> {
  const stats = await stat(configFile).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (stats instanceof Error)
    return stats.code === 'ENOENT'
      ? ok('config', `none yet; "daycare login" creates ${configFile}`)
      : fail('config', stats.message, 'Make the file readable by your user.');
  try {
    await (await store()).read();
  } catch (error) {
    return fromFailure('config', error);
  }
  return assessConfigMode(configFile, process.platform === 'win32' ? 0 : stats.mode);
}

/** Checks the context's services; if one responds, also the sign-in, and with a valid sign-in also the models. */
export async function checkContext(call: ContextAccess): Promise<Check[]> {
  let chosen: NamedContext;
  try {
    chosen = await call.chosen();
  } catch (error) {
    const isRequested = (call.global.context ?? call.settings.context) !== undefined;
    const check = fromFailure('context', error);
    return [isRequested ? check : { ...check, status: 'warn' }];
  }
  const services = await checkContextServices(chosen, call);
  const isServing = services.some(({ status }) => status === 'ok');
  const signIn = isServing ? await checkSignIn(call, chosen) : [];
  const isSignedIn = signIn.some(({ name, status }) => name === 'sign-in' && status === 'ok');
  const models = isSignedIn ? await checkModels((await call.session()).runtime) : [];
  return [ok('context', chosen.name), ...services, ...signIn, ...models];
}

/** Checks a context's services. The context need not be stored in the config file. */
export async function checkContextServices(
  chosen: NamedContext,
  call: ContextAccess,
): Promise<Check[]> {
  try {
    const services = await checkServices(chosen, call.settings, call.timeoutMs);
    return services.map((service) => assessService(service, chosen));
  } catch (error) {
    return [fromFailure('services', error)];
  }
}

function assessService(
  { service, address, health, latencyMs }: ServiceHealth,
  { name, context: { stack } }: NamedContext,
): Check {
  if (health === 'serving') return ok(service, `serving at ${address} (${latencyMs ?? 0} ms)`);
  const advice =
    stack === undefined
      ? `Check the address; change it with "daycare context set ${name} --${service} HOST:PORT".`
      : `Check ${join(stack, 'logs', `${service}.log`)}, or start the stack with "npm start".`;
  return fail(service, `${health} at ${address}`, advice);
}

async function checkSignIn(call: ContextAccess, { name, context }: NamedContext): Promise<Check[]> {
  const token = call.settings.token ?? context.tokens?.access;
  if (token === undefined)
    return [warn('sign-in', `not signed in (context "${name}")`, 'Sign in with "daycare login".')];
  const nowMs = Date.now();
  const clock = assessClock(token, nowMs);
  return [await tryToken(await call.session(), token, nowMs), ...(clock ? [clock] : [])];
}

async function tryToken(session: Session, token: string, nowMs: number): Promise<Check> {
  try {
    const { user } = await session.identity.getUser({ userId: await session.userId() });
    return ok('sign-in', `${user?.name ?? ''}, nametag ${user?.nametag ?? ''}`);
  } catch (error) {
    return assessRejectedToken(error, token, nowMs);
  }
}

function fromFailure(name: string, error: unknown): Check {
  if (error instanceof Failure) return fail(name, error.message, error.hint ?? '');
  throw error;
}
