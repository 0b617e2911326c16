import { readFileSync } from 'node:fs';
import { createId } from '@daycare/api/create-id';
import { AgentRole } from '@daycare/contracts/agent-runtime';
import { post } from '../../people/history';
import type { Person } from '../../people/people';
import { upload } from '../../people/files';
import type { Stack } from '../../stack/stack';
import { AnswerStream } from './answer-stream';
import { hostileMessage, usualMessage, type SentMessage } from './traffic';
import { WindowedServer, type SeenCalls } from './windowed-server';

export interface ContextsOptions {
  readonly stack: Stack;
  readonly turns: number;
  /** Every other message is from a friend who tries to overflow the agent. */
  readonly hasHostileFriend: boolean;
  readonly window: number;
  readonly bytesPerToken?: number;
  readonly signal?: AbortSignal;
  readonly report?: (line: string) => void;
}

export interface ContextsFigures extends SeenCalls {
  readonly turns: number;
  readonly seconds: number;
  /** The resident memory of the replicas together, in MiB, at regular points. */
  readonly memory: readonly number[];
  readonly faults: readonly string[];
}

const factTurn = 10;
const points = 20;
/** The first part of a run fills caches. */
const maxGrowth = 1.25;

/** Talks with one agent for a long time, and checks that it answers everything and still knows what it was told first. */
export async function runContexts(options: ContextsOptions): Promise<ContextsFigures> {
  const { stack, turns, window, bytesPerToken = 4, hasHostileFriend, signal } = options;
  const model = await WindowedServer.start({ window, bytesPerToken });
  let removeModel = async (): Promise<void> => undefined;
  try {
    const [ada, eve] = await stack.people.newFriends();
    removeModel = await useModel(stack, ada, model, window);
    const talk = await ContextTalk.begin(stack, ada, eve);
    const startedMs = performance.now();
    const memory: number[] = [];
    let at = 0;
    for (; at < turns && !signal?.aborted; at += 1) {
      const isHostile = hasHostileFriend && at > factTurn && at % 2 === 1;
      await talk.turn(at, isHostile ? 'friend' : 'person');
      if (at % Math.ceil(turns / points) === 0) memory.push(memoryOf(stack));
      if (at % 250 === 249) options.report?.(progressLine(at + 1, startedMs, model.seen));
    }
    const faults = await talk.finish(at, model.seen);
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    return { turns: at, ...model.seen, seconds, memory, faults: [...faults, ...growthOf(memory)] };
  } finally {
    await removeModel();
    await model.close();
  }
}

/** Adds the model's provider at run time; only this person uses it. Returns what removes it again. */
async function useModel(
  { runtime, people }: Stack,
  ada: Person,
  { url }: WindowedServer,
  window: number,
): Promise<() => Promise<void>> {
  const name = `soak-${createId().slice(0, 8)}`;
  const admin = await people.signIn('');
  const models = [{ id: 'windowed', contextWindow: window, maxOutputTokens: 4_000, images: true }];
  await runtime.addModelProvider({ requestId: createId(), name, url, models }, admin);
  const scope = { userId: '', agentId: '', role: AgentRole.UNSPECIFIED };
  const chosen = { requestId: createId(), ...scope, models: [`${name}/windowed`] };
  await runtime.setModel(chosen, ada.as);
  return async () => {
    await runtime.removeModelProvider({ requestId: createId(), name }, await people.signIn(''));
  };
}

function progressLine(turns: number, startedMs: number, seen: SeenCalls): string {
  const perTurn = (performance.now() - startedMs) / turns;
  return `${turns} turns, ${perTurn.toFixed(0)} ms each; ${JSON.stringify(seen)}`;
}

/** The conversation with the agent, and what it was told to remember. */
class ContextTalk {
  readonly #facts = [createId(), createId()].map((id) => `FACT-${id}`);
  readonly #answers: AnswerStream;

  private constructor(
    private readonly stack: Stack,
    private readonly ada: Person,
    private readonly eve: Person,
    private readonly fileId: string,
    answers: AnswerStream,
  ) {
    this.#answers = answers;
  }

  static async begin(stack: Stack, ada: Person, eve: Person): Promise<ContextTalk> {
    const { file } = await upload(stack.runtime, ada, 'photo.png', smallImage, {
      mimeType: 'image/png',
    });
    const first = await stack.runtime.postMessage(post('#0# prepare a file'), ada.as);
    const answers = new AnswerStream(stack.runtime, ada, first);
    await answers.answerTo(0, answerWithinMs);
    return new ContextTalk(stack, ada, eve, file?.id ?? '', answers);
  }

  /** Sends the message of that turn and waits for its answer. */
  async turn(at: number, from: 'person' | 'friend'): Promise<void> {
    if (at === 0) return;
    if (from === 'friend') await this.#sendAsFriend(hostileMessage(at));
    else if (at === factTurn)
      await this.#send({ text: `#${at}# remember ${this.#facts.join(' and ')}` });
    else await this.#send(usualMessage(at));
    await this.#answers.answerTo(at, answerWithinMs);
  }

  /** What went wrong; empty when the agent still knows everything. */
  async finish(number: number, seen: SeenCalls): Promise<string[]> {
    await this.#send({ text: `#${number}# which facts do you know?` });
    const answer = await this.#answers.answerTo(number, answerWithinMs);
    this.#answers.close();
    const lost = this.#facts.filter((fact) => !answer.includes(fact));
    const request = { pageSize: 10, pageToken: '', agentId: '' };
    const { deadLetters } = await this.stack.runtime.listDeadLetters(request, this.ada.as);
    return [
      ...lost.map((fact) => `${fact} is forgotten: ${answer.slice(0, 200)}`),
      ...deadLetters.map(({ reason }) => `a dead letter: ${reason}`),
      ...(seen.summaries === 0 && number > 40 ? ['nothing was ever summarised'] : []),
    ];
  }

  async #send({ text, withImage }: SentMessage): Promise<void> {
    const fileIds = withImage ? [this.fileId] : [];
    await this.stack.runtime.postMessage({ ...post(text), fileIds }, this.ada.as);
  }

  async #sendAsFriend({ text }: SentMessage): Promise<void> {
    await this.stack.people.message(this.eve, this.ada, text);
  }
}

const answerWithinMs = 60_000;
const smallImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** In MiB. */
function memoryOf(stack: Stack): number {
  const replicas = Array.from({ length: stack.replicasOf('agent-runtime') }, (_, at) => at);
  const kibibytes = replicas.map((replica) => {
    const status = readFileSync(
      `/proc/${stack.service('agent-runtime', replica).pid}/status`,
      'utf8',
    );
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  });
  return Math.round(kibibytes.reduce((sum, each) => sum + each, 0) / 1_024);
}

/** Memory is to be flat after the first quarter; short runs say nothing about it. */
function growthOf(memory: readonly number[]): string[] {
  if (memory.length < points) return [];
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, each) => sum + each, 0) / values.length;
  const quarter = Math.floor(memory.length / 4);
  const [early, late] = [mean(memory.slice(quarter, 2 * quarter)), mean(memory.slice(-quarter))];
  return late > early * maxGrowth ? [`memory grew from ${early} to ${late} MiB`] : [];
}
