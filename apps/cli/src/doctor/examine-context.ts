import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkServices, type ServiceHealth } from '../client/check-services';
import type { NamedContext } from '../client/context';
import type { FoundStack } from '../client/local-stack';
import type { Session } from '../client/session';
import type { Call } from '../commands/command';
import { Failure } from '../failure/failure';
import { fail, ok, warn, type Check } from './check';
import { judgeClock, judgeConfigMode, judgeRefusal } from './judge-sign-in';

type AnyCall = Call<object>;

const startIt = 'Start one with "npm start".';

export function examineStack(stack: FoundStack | undefined, dataDir: string): Check {
  return stack
    ? ok('stack', `runs on ${dataDir}`)
    : warn('stack', `none runs on ${dataDir}`, startIt);
}

/** The file that keeps contexts and their tokens. */
export async function examineConfig({ settings: { configFile }, store }: AnyCall): Promise<Check> {
  const found = await stat(configFile).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (found instanceof Error)
    return found.code === 'ENOENT'
      ? ok('config', `none yet; "daycare login" makes ${configFile}`)
      : fail('config', found.message, 'Make it readable for yourself.');
  try {
    await (await store()).read();
  } catch (error) {
    return fromFailure('config', error);
  }
  return judgeConfigMode(configFile, process.platform === 'win32' ? 0 : found.mode);
}

/** How the services of the context are, and whether its sign-in holds. */
export async function examineContext(call: AnyCall): Promise<Check[]> {
  let chosen: NamedContext;
  try {
    chosen = await call.chosen();
  } catch (error) {
    const isAsked = (call.global.context ?? call.settings.context) !== undefined;
    const check = fromFailure('context', error);
    return [isAsked ? check : { ...check, status: 'warn' }];
  }
  const services = await examineServices(chosen, call);
  const signIn = services.some(({ status }) => status === 'ok')
    ? await examineSignIn(call, chosen)
    : [];
  return [ok('context', chosen.name), ...services, ...signIn];
}

/** Of any context, also of one that is not in the file. */
export async function examineServices(chosen: NamedContext, call: AnyCall): Promise<Check[]> {
  try {
    const found = await checkServices(chosen, call.settings, call.timeoutMs);
    return found.map((service) => judgeService(service, chosen));
  } catch (error) {
    return [fromFailure('services', error)];
  }
}

function judgeService(
  { service, address, health, latencyMs }: ServiceHealth,
  { name, context: { stack } }: NamedContext,
): Check {
  if (health === 'serving') return ok(service, `serves at ${address} (${latencyMs ?? 0} ms)`);
  const advice =
    stack === undefined
      ? `Is the address right? "daycare context set ${name} --${service} HOST:PORT" changes it.`
      : `Look into ${join(stack, 'logs', `${service}.log`)}, or start the stack with "npm start".`;
  return fail(service, `${health} at ${address}`, advice);
}

async function examineSignIn(call: AnyCall, { name, context }: NamedContext): Promise<Check[]> {
  const token = call.settings.token ?? context.tokens?.access;
  if (token === undefined)
    return [
      warn('sign-in', `nobody is signed in (context "${name}")`, 'Sign in with "daycare login".'),
    ];
  const nowMs = Date.now();
  const clock = judgeClock(token, nowMs);
  return [await tryToken(await call.session(), token, nowMs), ...(clock ? [clock] : [])];
}

async function tryToken(session: Session, token: string, nowMs: number): Promise<Check> {
  try {
    const { user } = await session.identity.getUser({ userId: await session.userId() });
    return ok('sign-in', `${user?.name ?? ''}, nametag ${user?.nametag ?? ''}`);
  } catch (error) {
    return judgeRefusal(error, token, nowMs);
  }
}

function fromFailure(name: string, error: unknown): Check {
  if (error instanceof Failure) return fail(name, error.message, error.hint ?? '');
  throw error;
}
