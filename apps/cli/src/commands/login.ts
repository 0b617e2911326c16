import { addressOf } from '../client/address-of';
import { localName } from '../client/choose-context';
import { isContextName, withContext, type Context, type Contexts } from '../client/context';
import { findLocalStack, type FoundStack } from '../client/local-stack';
import { RequestIds } from '../client/request-ids';
import { adminAccess, ownName, signInAgain, signInWith, signUp } from '../client/sign-in';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { textView, type View } from '../output/view';
import { readText } from '../terminal/read-input';
import { defineCommand, type Call } from './command';
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
    'sign in: as a new user on the stack of this machine, or with a token on servers elsewhere',
  options: [
    ['--name <name>', 'what the new user is called (default: your login name)'],
    ['--data-dir <folder>', 'the data folder of the stack (default: .daycare)'],
    ['--token <token>', 'an access token; - reads it from the standard input'],
    ['--refresh-token <token>', 'gets the next access token when this one expires'],
    ...contextOptions,
  ],
  examples: [
    'login',
    'login --name Ada --context ada',
    'login --token - --identity id.example.org:443 --social-graph sg.example.org:443 --tls --context work < token',
  ],
  run: (call) => (call.options.token === undefined ? loginHere(call) : loginElsewhere(call)),
});

async function loginHere(call: Call<LoginOptions>): Promise<View> {
  const { options, global, timeoutMs } = call;
  const stack = findLocalStack(options.dataDir);
  if (!stack) throw noStack();
  const store = await call.store();
  const known = await store.read();
  const name = checkName(
    global.context ?? call.settings.context ?? defaultName(known, stack, options),
  );
  const earlier = known.contexts[name];
  if (earlier) checkTaken(name, earlier, stack, options.name);
  const access = { context: name, timeoutMs, ...adminAccess(stack) };
  const again = earlier?.user && (await signInAgain(stack, access, earlier.user));
  const newUser = { name: options.name ?? ownName(), requestIds: new RequestIds(global.requestId) };
  const context = again ?? (await signUp(stack, access, newUser));
  await store.update((before) => select(before, name, context));
  return signedIn(name, context);
}

async function loginElsewhere(call: Call<LoginOptions>): Promise<View> {
  const { options, global, timeoutMs, settings } = call;
  const store = await call.store();
  const name = checkName(global.context ?? settings.context ?? 'default');
  const before = applyOptions((await store.read()).contexts[name] ?? {}, options);
  const address = addressOf('identity', { name, context: before }, settings);
  const access = { context: name, address, timeoutMs, tls: before.tls };
  const token = (await readText(options.token ?? '')).trim();
  const context = await signInWith(before, access, { token, refresh: options.refreshToken });
  await store.update((contexts) => select(contexts, name, context));
  return signedIn(name, context);
}

function signedIn(name: string, { user }: Context): View {
  const who = user ? ` as ${user.name}, nametag ${user.nametag}` : '';
  return textView(`Signed in${who} (context ${name}).`, { context: name, user });
}

function select(all: Contexts, name: string, context: Context): Contexts {
  return { ...withContext(all, { name, context }), current: name };
}

/** Who has signed in on this stack stays who they are; a new person gets a context of that name. */
function defaultName(
  { current, contexts }: Contexts,
  stack: FoundStack,
  options: LoginOptions,
): string {
  const named = toContextName(options.name);
  const isHere = current !== undefined && contexts[current]?.stack === stack.dataDir;
  return named ?? (isHere ? current : localName);
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
  throw new Failure(
    exitCodes.usage,
    `"${name}" cannot be the name of a context.`,
    'It takes letters, digits, ".", "_" and "-", up to 63 characters.',
  );
}

function noStack(): Failure {
  return new Failure(
    exitCodes.unavailable,
    'No stack runs on this machine.',
    'Start one with "npm start", or sign in elsewhere with --token and --identity.',
  );
}

/** Nobody is lost sight of because another name, or another stack, is signed in to over them. */
function checkTaken(
  name: string,
  { stack, user }: Context,
  { dataDir }: FoundStack,
  wanted: string | undefined,
): void {
  const hint = 'Choose another name with --context.';
  if (stack !== dataDir) {
    throw new Failure(exitCodes.conflict, `Context "${name}" is about other servers.`, hint);
  }
  if (user && wanted !== undefined && wanted !== user.name) {
    throw new Failure(
      exitCodes.conflict,
      `Context "${name}" is already that of ${user.name}.`,
      hint,
    );
  }
}
