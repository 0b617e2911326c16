import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { DemoPerson } from './demo-person';
import { isHeard, judgeResult, learn, type Heard, type PlayedStep } from './judge-step';
import { Listener } from './listener';
import { story, type Facts, type ListenerName, type PersonName, type Step } from './story';
import type { Player } from './demo-cast';

export interface PlayOptions {
  readonly signal: AbortSignal;
  /** For each thing that has to happen. */
  readonly timeoutMs: number;
}

/** The people on the stage, those who listen, and what is known so far. */
export interface Stage {
  readonly people: Readonly<Record<PersonName, DemoPerson>>;
  readonly listeners: Map<ListenerName, Listener>;
  facts: Facts;
}

/** Has every player's agent made and listened to. */
export async function setStage(players: readonly Player[], options: PlayOptions): Promise<Stage> {
  const persons = await Promise.all(
    players.map(
      async ({ name, session }) => [name, await DemoPerson.begin(session, options)] as const,
    ),
  );
  const facts = persons.flatMap(([name, { nametag, agentId }]) => [
    [name, nametag],
    [`${name}Agent`, agentId],
  ]);
  return {
    people: Object.fromEntries(persons) as Stage['people'],
    listeners: new Map(persons.map(([name, { listener }]) => [name, listener])),
    facts: Object.fromEntries(facts) as Facts,
  };
}

/** Plays the story step by step; ends with the first that goes wrong, for nothing after it holds. */
export async function* playStory(stage: Stage, options: PlayOptions): AsyncGenerator<PlayedStep> {
  for (const step of story) {
    const played = await playStep(step, stage, options);
    yield played;
    if (!played.ok) return;
  }
}

async function playStep(step: Step, stage: Stage, options: PlayOptions): Promise<PlayedStep> {
  const beganMs = performance.now();
  const person = stage.people[step.who];
  const args = step.args(stage.facts);
  const heardBefore = step.hears && stage.listeners.get(step.hears.who)?.count;
  const result = await person.run(step.tool, args);
  const problem = judgeResult(step, result);
  stage.facts = learn(step, result, stage.facts);
  listenToHelper(stage, options);
  const heard =
    problem === undefined ? await hear(step, stage, heardBefore ?? 0, options) : undefined;
  const wrong =
    problem ?? (step.hears && !heard ? `${step.hears.who} should hear of it` : undefined);
  return {
    title: step.title,
    who: step.who,
    nametag: person.nametag,
    tool: step.tool,
    arguments: args,
    result,
    ...(heard ? { heard } : {}),
    ok: wrong === undefined,
    ...(wrong === undefined ? {} : { problem: wrong }),
    tookMs: Math.round(performance.now() - beganMs),
  };
}

/** An owner may listen to the gateway of their subuser. */
function listenToHelper(
  { people: { Ada }, listeners, facts }: Stage,
  { signal }: PlayOptions,
): void {
  const gateway = facts['helperGateway'];
  if (gateway && !listeners.has('helper'))
    listeners.set('helper', new Listener(Ada.session, gateway, signal));
}

async function hear(
  { hears }: Step,
  { listeners, facts }: Stage,
  after: number,
  { timeoutMs }: PlayOptions,
): Promise<Heard | undefined> {
  if (!hears) return undefined;
  const pick = (record: HistoryRecord['record']): Heard | undefined => {
    if (record?.$case !== 'userMessage') return undefined;
    const { origin, text } = record.value;
    return isHeard(hears, record.value, facts) ? { who: hears.who, origin, text } : undefined;
  };
  return listeners.get(hears.who)?.find(after, pick, timeoutMs);
}

/** What both have in the end. */
export async function readTopologies({
  people: { Ada, Bob },
}: Stage): Promise<Readonly<Record<PersonName, string>>> {
  const [ada, bob] = await Promise.all([Ada.topology(), Bob.topology()]);
  return { Ada: ada, Bob: bob };
}
