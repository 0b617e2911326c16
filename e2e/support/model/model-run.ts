import { createId } from '@daycare/api/create-id';
import {
  answerOf,
  ModelUsers,
  refusalOf,
  shorten,
  type AnyResponse,
  type PlannedCall,
  type RawCall,
} from './model-users';
import { initialState, type ModelCall, type ModelState } from './friendship-model';
import { explainBatch, matchesReceived, type Observation } from './linearisation';
import { subusers, users, type Name, type User } from './share-model';
import type { ListeningStack } from '../stack/listener';
import type { Graph } from '../clients/clients';
import { untilAnswered } from '../stack/until-answered';

export interface Crash {
  readonly replica: number;
  readonly afterMs: number;
}

/** One random story of three users and two subusers, checked against the model as it goes. */
export class ModelRun {
  /** The kind and answer of every call except lists and retries, e.g. `add FRIENDS`. */
  readonly answers: string[] = [];
  readonly #stack: ListeningStack;
  readonly #cast: ModelUsers;
  readonly #sent: { readonly by: User; readonly messageId: string; readonly text: string }[] = [];
  readonly #lastCall: Partial<Record<User, { call: RawCall; response: AnyResponse }>> = {};
  readonly #log: string[] = [];
  readonly #restarting: Promise<void>[] = [];
  #candidates: ModelState[] = [initialState()];
  #batch = 0;

  private constructor(stack: ListeningStack, cast: ModelUsers) {
    this.#stack = stack;
    this.#cast = cast;
  }

  static async start(stack: ListeningStack): Promise<ModelRun> {
    return new ModelRun(stack, await ModelUsers.create(stack.people));
  }

  /** Makes the calls concurrently; if `crash` is given, kills a replica while they run. */
  async play(calls: readonly PlannedCall[], crash?: Crash): Promise<void> {
    this.#batch += 1;
    const observing = calls.map((call, index) => this.#observe(call, `${this.#batch}-${index}`));
    if (crash) await this.#crash(crash);
    const observations = (await Promise.all(observing)).filter(
      (observation) => observation !== undefined,
    );
    for (const observation of observations) {
      if ('call' in observation)
        this.answers.push(`${observation.call.kind} ${observation.answer}`);
    }
    this.#log.push(`${crash ? 'crash ' : ''}${JSON.stringify(observations)}`);
    this.#candidates = explainBatch(this.#candidates, observations, this.#batch);
    this.#requireCandidate('no order of these calls explains their answers');
  }

  /** Checks that one possible history explains both the lists and the received messages. */
  async finish(): Promise<void> {
    await Promise.all(this.#restarting);
    for (const by of users) {
      for (const replica of [0, 1]) {
        await this.play([{ kind: 'list', by, target: by, subuser: 'cook', replica }]);
      }
    }
    await this.#stack.listener.settled();
    this.#candidates = this.#candidates.filter((state) => this.#agreesWithReceived(state));
    this.#requireCandidate('the received messages differ from those the model expects');
  }

  #requireCandidate(problem: string): void {
    if (this.#candidates.length > 0) return;
    const received = this.#lanes().filter((lane) => lane.received.length > 0);
    throw new Error(`${problem}\n${this.#log.join('\n')}\nreceived ${JSON.stringify(received)}`);
  }

  #agreesWithReceived(state: ModelState): boolean {
    return this.#lanes().every((lane) => matchesReceived(state, lane, lane.received));
  }

  #lanes(): { from: User; to: Name; received: string[] }[] {
    const names: readonly Name[] = [...users, ...subusers];
    return users.flatMap((from) =>
      names.map((to) => ({ from, to, received: this.#receivedBetween(from, to) })),
    );
  }

  #receivedBetween(from: User, to: Name): string[] {
    return this.#stack.listener
      .between(this.#cast.ids[from], this.#cast.ids[to])
      .map(({ notice, text }) =>
        notice
          ? [shorten(notice.kind), this.#cast.nameOf(notice.subuserId)].filter(Boolean).join(' ')
          : text,
      );
  }

  async #crash({ replica, afterMs }: Crash): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const process = this.#stack.service('social-graph', replica);
    await process.kill();
    this.#restarting.push(process.restart());
  }

  async #observe(planned: PlannedCall, id: string): Promise<Observation | undefined> {
    if (planned.kind === 'list') return this.#list(planned);
    if (planned.kind === 'again') return this.#retry(planned);
    // Half of the calls may concern another user's message; the choice of the replica decides which calls.
    const own = this.#sent.filter(({ by }) => by === planned.by);
    const message = (planned.replica === 0 ? own : this.#sent).at(-1);
    const call = (
      planned.kind === 'status'
        ? { kind: 'status', by: planned.by, sender: message?.by, text: message?.text }
        : { ...planned, text: `message ${id}` }
    ) as ModelCall;
    const raw = this.#cast.rawCall(planned, id, message?.messageId ?? createId());
    try {
      const response = await this.#untilAnswered(raw, planned.replica);
      this.#remember(planned, raw, response, `message ${id}`);
      return { call, answer: answerOf(planned.kind, response) };
    } catch (error) {
      return { call, answer: refusalOf(error) };
    }
  }

  #remember({ kind, by }: PlannedCall, call: RawCall, response: AnyResponse, text: string): void {
    if (kind === 'status') return;
    this.#lastCall[by] = { call, response };
    if (kind === 'send') this.#sent.push({ by, messageId: String(response['messageId']), text });
  }

  /** Retries a user's last successful change with its request id; throws unless the response is the same. */
  async #retry({ by, replica }: PlannedCall): Promise<undefined> {
    const last = this.#lastCall[by];
    if (!last) return undefined;
    const response = await this.#untilAnswered(last.call, replica);
    if (JSON.stringify(response) === JSON.stringify(last.response)) return undefined;
    throw new Error(
      `a retry got a different response: ${JSON.stringify(response)}\n${this.#log.join('\n')}`,
    );
  }

  async #list({ by, replica }: PlannedCall): Promise<Observation> {
    const request = { pageSize: 0, pageToken: '' };
    const { as } = this.#cast.people[by];
    const response = await this.#untilAnswered(
      (graph) => graph.listFriends(request, as) as Promise<never>,
      replica,
    );
    return { listBy: by, answer: this.#cast.readList(by, response) };
  }

  /** Makes a call; if its replica dies, retries it through the other replica. */
  async #untilAnswered<T>(call: (graph: Graph) => Promise<T>, replica: number): Promise<T> {
    return untilAnswered((attempt) => call(this.#stack.graphs[(replica + attempt) % 2]!));
  }
}
