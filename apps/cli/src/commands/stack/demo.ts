import { chooseContext } from '../../client/contexts/choose-context';
import type { ContextStore } from '../../client/contexts/context-store';
import { contextOf } from '../../client/auth/sign-in';
import { findLocalStack, readHeader, type FoundStack } from '../../client/contexts/local-stack';
import {
  savePlayers,
  removePlayer,
  signUpPlayer,
  type CastOptions,
  type DemoStack,
  type Player,
} from '../../demo/demo-cast';
import { renderStep, renderTopologies } from '../../demo/demo-view';
import type { PlayedStep } from '../../demo/check-step';
import { playStory, readTopologies, setStage, type Stage } from '../../demo/play-story';
import { people, story } from '../../demo/story';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';
import { isForPeople } from '../../output/printer';
import { textView, type View } from '../../output/view';
import { defineCommand, type Call } from '../kit/command';

interface DemoOptions {
  readonly keep?: boolean;
  readonly dataDir?: string;
  readonly adminHeader?: string;
}

export const demoCommand = defineCommand<DemoOptions>({
  name: 'demo',
  description:
    'run a demo story on the running stack: two new users become friends, share a subuser, use it and part ways',
  options: [
    ['--keep', 'keep both users, as contexts demo-ada and demo-bob'],
    [
      '--data-dir <folder>',
      "data folder of the stack (default: .daycare); if no stack is running there, the current context's stack is used; ignored with --context or --admin-header",
    ],
    [
      '--admin-header <file>',
      "run on the context's stack, wherever it runs, using the admin header in this file",
    ],
  ],
  examples: ['demo', 'demo --keep', 'demo --context work --admin-header secrets/admin.header'],
  async run(call) {
    const stack = await findStack(call);
    const views = play(call, stack);
    return isForPeople(call.global.output) ? views : mergeViews(views);
  },
});

/** Yields each step after it has been played. Always removes the users unless they are kept as contexts. */
async function* play(
  { settings, store, timeoutMs, options: { keep = false } }: Call<DemoOptions>,
  stack: DemoStack,
): AsyncGenerator<View> {
  const stop = new AbortController();
  const { signal } = stop;
  process.once('SIGINT', () => stop.abort());
  const cast: CastOptions = { stack, settings, timeoutMs, store: await store() };
  const players: Player[] = [];
  try {
    for (const name of people) players.push(await signUpPlayer(name, cast));
    yield* playAll(await setStage(players, { signal, timeoutMs }), { signal, timeoutMs });
    await (keep ? saveAll(players, cast.store) : removeAll(players));
    yield endView(keep);
  } finally {
    stop.abort();
    await removeAll(players);
  }
}

async function saveAll(players: Player[], store: ContextStore): Promise<void> {
  await savePlayers(players, store);
  for (const { session } of players.splice(0)) session.close();
}

async function removeAll(players: Player[]): Promise<void> {
  await Promise.all(players.splice(0).map(removePlayer));
}

async function* playAll(
  stage: Stage,
  options: { signal: AbortSignal; timeoutMs: number },
): AsyncGenerator<View> {
  let count = 0;
  let ok = true;
  for await (const step of playStory(stage, options)) {
    count += 1;
    ok &&= step.ok;
    yield stepView(step, count);
  }
  if (!ok || count < story.length) return;
  const topologies = await readTopologies(stage);
  yield { data: { topologies }, render: (style) => renderTopologies(topologies, style) };
}

function stepView(step: PlayedStep, stepNumber: number): View {
  const failed = step.ok ? {} : { exitCode: exitCodes.failure };
  return { data: { step }, render: (style) => renderStep(step, stepNumber, style), ...failed };
}

function endView(keep: boolean): View {
  const kept = '\nBoth users were kept. Try "daycare topology --context demo-ada".';
  return textView(keep ? kept : '\nBoth users were removed.', { kept: keep });
}

/** Merges all views into one: the steps, both topologies, and whether every step passed. */
async function mergeViews(views: AsyncIterable<View>): Promise<View> {
  const all: View[] = [];
  for await (const view of views) all.push(view);
  const parts = all.map(({ data }) => data as { step?: PlayedStep });
  const steps = parts.flatMap(({ step }) => step ?? []);
  const ok = all.every(({ exitCode }) => exitCode === undefined);
  const rest = Object.assign({}, ...parts.filter(({ step }) => !step)) as object;
  const data = { ok, steps, ...rest };
  return { ...textView('', data), exitCode: ok ? exitCodes.ok : exitCodes.failure };
}

/**
 * Finds the stack on which the demo runs. With --admin-header, that is the context's stack, wherever it runs. Otherwise
 * it must run on this machine: the requested context's stack or, if no context is requested, the one in the data folder
 * or else the current context's.
 */
async function findStack(call: Call<DemoOptions>): Promise<DemoStack> {
  const { options, global, settings, store } = call;
  if (options.adminHeader !== undefined) return findRemoteStack(call, options.adminHeader);
  const requested = global.context ?? settings.context;
  const local = requested === undefined ? findLocalStack(options.dataDir) : undefined;
  if (local) return toDemoStack(local);
  const { name, context } = chooseContext(await (await store()).read(), requested);
  const running = context.stack === undefined ? undefined : findLocalStack(context.stack);
  if (running) return toDemoStack(running);
  throw new Failure(
    exitCodes.unavailable,
    `Context "${name}" has no stack running on this machine.`,
    'Start one with "npm start". The demo creates users, so for a stack elsewhere pass its admin header file with --admin-header.',
  );
}

function toDemoStack(stack: FoundStack): DemoStack {
  const { dataDir, readAdminAuthorization } = stack;
  return { name: `the stack in ${dataDir}`, context: contextOf(stack), readAdminAuthorization };
}

/** Finds the stack of a context, wherever it runs. */
async function findRemoteStack(
  { global, settings, store }: Call<DemoOptions>,
  headerFile: string,
): Promise<DemoStack> {
  const requested = global.context ?? settings.context;
  const { name, context } = chooseContext(await (await store()).read(), requested);
  const { user: _user, tokens: _tokens, ...base } = context;
  return {
    name: `context "${name}"`,
    context: base,
    readAdminAuthorization: () => readHeader(headerFile),
  };
}
