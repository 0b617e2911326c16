import { addressOf } from '../../client/contexts/address-of';
import { invalidContextName, localName } from '../../client/contexts/choose-context';
import {
  isContextName,
  withContext,
  type Context,
  type Contexts,
} from '../../client/contexts/context';
import { findLocalStack, type FoundStack } from '../../client/contexts/local-stack';
import { RequestIds } from '../../client/rpc/request-ids';
import {
  adminAccess,
  signInAgain,
  signInWithToken,
  contextOf,
  signInLocally,
} from '../../client/auth/sign-in';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { textView, type View } from '../../output/view';
import { readText } from '../../terminal/read-input';
import { defineCommand, type Call } from '../kit/command';
import { applyOptions, contextOptions, type ContextOptions } from './context-options';

interface LoginOptions extends ContextOptions {
  readonly name?: string;
  readonly token?: string;
  readonly refreshToken?: string;
  readonly dataDir?: string;
}

export const loginCommand = defineCommand<LoginOptions>({
  name: 'login',
  description:
    'sign in to the local stack, as a new user if necessary, or to a remote stack with a token',
  options: [
    ['--name <name>', 'name of the user to create (default: your login name on this machine)'],
    ['--data-dir <folder>', 'data folder of the local stack (default: .daycare)'],
    [
      '--token <token>',
      'access token for a remote stack, e.g. a personal access token; - reads it from standard input',
    ],
    ['--refresh-token <token>', 'token that renews the access token when it expires'],
    ...contextOptions,
  ],
  examples: [
    'login',
    'login --name Ada --context ada',
    'login --token - --server daycare.example.org:443 --tls --context work < token',
  ],
  run: (call) => (call.options.token === undefined ? loginLocally(call) : loginRemotely(call)),
});

async function loginLocally(call: Call<LoginOptions>): Promise<View> {
  const { options, global, timeoutMs } = call;
  const stack = findLocalStack(options.dataDir);
  if (!stack) throw noStack();
  const store = await call.store();
  const stored = await store.read();
  const name = checkName(
    global.context ?? call.settings.context ?? defaultName(stored, stack, options),
  );
  const earlier = stored.contexts[name];
  if (earlier) checkNotTaken(name, earlier, stack, options.name);
  const access = { context: name, timeoutMs, ...adminAccess(stack) };
  const restored = earlier?.user && (await signInAgain(stack, access, earlier.user));
  const signIn = {
    name: options.name,
    requestIds: new RequestIds(global.requestId),
  };
  const context = restored ?? (await signInLocally(contextOf(stack), access, signIn));
  await store.update((before) => select(before, name, context));
  return signInView(name, context);
}

async function loginRemotely(call: Call<LoginOptions>): Promise<View> {
  const { options, global, timeoutMs, settings } = call;
  const store = await call.store();
  const name = checkName(global.context ?? settings.context ?? 'default');
  const before = applyOptions((await store.read()).contexts[name] ?? {}, options);
  const address = addressOf('identity', { name, context: before }, settings);
  const access = { context: name, address, timeoutMs, tls: before.tls };
  const token = (await readText(options.token ?? '')).trim();
  const context = await signInWithToken(before, access, { token, refresh: options.refreshToken });
  await store.update((contexts) => select(contexts, name, context));
  return signInView(name, context);
}

function signInView(name: string, { user }: Context): View {
  const who = user ? ` as ${user.name}, nametag ${user.nametag}` : '';
  return textView(`Signed in${who}. Commands now use context ${name}.`, { context: name, user });
}

function select(all: Contexts, name: string, context: Context): Contexts {
  return { ...withContext(all, { name, context }), current: name };
}

/** With --name, the context named after the user; else the current one if it belongs to this stack; else `local`. */
function defaultName(
  { current, contexts }: Contexts,
  stack: FoundStack,
  options: LoginOptions,
): string {
  const slug = toContextName(options.name);
  const isCurrent = current !== undefined && contexts[current]?.stack === stack.dataDir;
  return slug ?? (isCurrent ? current : localName);
}

function toContextName(name: string | undefined): string | undefined {
  const slug = name
    ?.toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug ? slug.slice(0, 60) : undefined;
}

function checkName(name: string): string {
  if (isContextName(name)) return name;
  throw invalidContextName(name);
}

function noStack(): Failure {
  return new Failure(
    exitCodes.unavailable,
    'No running stack was found on this machine.',
    'Start one with "npm start", name its data folder with --data-dir, or sign in to a remote stack with --server and --token.',
  );
}

/** Refuses to overwrite a context that belongs to another stack or, with --name, to a user with another name. */
function checkNotTaken(
  name: string,
  { stack, user }: Context,
  { dataDir }: FoundStack,
  newName: string | undefined,
): void {
  const hint = 'Choose another name with --context.';
  if (stack !== dataDir) {
    throw new Failure(exitCodes.conflict, `Context "${name}" points to a different stack.`, hint);
  }
  if (user && newName !== undefined && newName !== user.name) {
    throw new Failure(
      exitCodes.conflict,
      `Context "${name}" already belongs to ${user.name}.`,
      hint,
    );
  }
}
