import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import { DemoPerson } from './demo-person';
import {
  addFacts,
  checkResult,
  isExpected,
  type PlayedStep,
  type ReceivedMessage,
} from './check-step';
import { Listener } from './listener';
import {
  story,
  type ExpectedMessage,
  type Facts,
  type ListenerName,
  type PersonName,
  type Step,
} from './story';
import type { Player } from './demo-cast';

export interface PlayOptions {
  readonly signal: AbortSignal;
  /** How long to wait for each reply and each expected message. */
  readonly timeoutMs: number;
}

/** The people, the listeners that collect the history of each agent, and the facts known so far. */
export interface Stage {
  readonly people: Readonly<Record<PersonName, DemoPerson>>;
  readonly listeners: Map<ListenerName, Listener>;
  facts: Facts;
}

/** Creates each player's agent and follows its history. */
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

/** Plays the story step by step; stops at the first failure, since later steps depend on it. */
export async function* playStory(stage: Stage, options: PlayOptions): AsyncGenerator<PlayedStep> {
  for (const step of story) {
    const played = await playStep(step, stage, options);
    yield played;
    if (!played.ok) return;
  }
}

async function playStep(step: Step, stage: Stage, options: PlayOptions): Promise<PlayedStep> {
  const startMs = performance.now();
  const person = stage.people[step.who];
  const args = step.args(stage.facts);
  const counts = new Map([...stage.listeners].map(([name, { count }]) => [name, count]));
  const result = await person.run(step.tool, args);
  const mismatch = checkResult(step, result);
  stage.facts = addFacts(step, result, stage.facts);
  listenToAssistant(stage, options);
  const receive = async (expected: ExpectedMessage | undefined) =>
    mismatch === undefined && expected
      ? receiveOne(expected, stage, counts.get(expected.to) ?? 0, options)
      : undefined;
  const received = await receive(step.delivers);
  const answer = await receive(step.answers);
  const problem =
    mismatch ??
    describeMissing(step.delivers, received, 'message') ??
    describeMissing(step.answers, answer, 'answer');
  return {
    title: step.title,
    who: step.who,
    nametag: person.nametag,
    tool: step.tool,
    arguments: args,
    result,
    ...(received ? { received } : {}),
    ...(answer ? { answer } : {}),
    ok: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    tookMs: Math.round(performance.now() - startMs),
  };
}

function describeMissing(
  expected: ExpectedMessage | undefined,
  received: ReceivedMessage | undefined,
  what: string,
): string | undefined {
  return expected && !received ? `${expected.to} did not receive the ${what}` : undefined;
}

/** After the subuser's gateway agent has been created, listens to it as Ada, who owns the subuser. */
function listenToAssistant(
  { people: { Ada }, listeners, facts }: Stage,
  { signal }: PlayOptions,
): void {
  const gateway = facts['assistantGateway'];
  if (gateway && !listeners.has('assistant'))
    listeners.set('assistant', new Listener(Ada.session, gateway, signal));
}

async function receiveOne(
  expected: ExpectedMessage,
  { listeners, facts }: Stage,
  after: number,
  { timeoutMs }: PlayOptions,
): Promise<ReceivedMessage | undefined> {
  const pick = (record: HistoryRecord['record']): ReceivedMessage | undefined => {
    if (record?.$case !== 'userMessage') return undefined;
    const { origin, text } = record.value;
    return isExpected(expected, record.value, facts)
      ? { who: expected.to, origin, text }
      : undefined;
  };
  return listeners.get(expected.to)?.find(after, pick, timeoutMs);
}

/** Reads both topologies at the end of the story. */
export async function readTopologies({
  people: { Ada, Bob },
}: Stage): Promise<Readonly<Record<PersonName, string>>> {
  const [ada, bob] = await Promise.all([Ada.topology(), Bob.topology()]);
  return { Ada: ada, Bob: bob };
}
