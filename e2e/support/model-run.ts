import { createId } from '@paralleldrive/cuid2';
import {
  answerOf,
  Cast,
  refusalOf,
  shorten,
  type AnyResponse,
  type PlannedCall,
  type RawCall,
} from './cast';
import { initialState, type ModelCall, type ModelState } from './friendship-model';
import { explainBatch, isHeardAs, type Observation } from './linearisation';
import { subusers, users, type Name, type User } from './share-model';
import { untilAnswered, type Graph, type Replica, type SocialStack } from './social-stack';

export interface Crash {
  readonly replica: Replica;
  readonly afterMs: number;
}

/** One random story of three users and two subusers, checked against the model as it goes. */
export class ModelRun {
  /** Every call with its answer, e.g. `add FRIENDS`. */
  readonly answers: string[] = [];
  readonly #social: SocialStack;
  readonly #cast: Cast;
  readonly #sent: { readonly by: User; readonly messageId: string }[] = [];
  readonly #lastCall: Partial<Record<User, { call: RawCall; response: AnyResponse }>> = {};
  readonly #log: string[] = [];
  readonly #restarting: Promise<void>[] = [];
  #candidates: ModelState[] = [initialState()];
  #batch = 0;

  private constructor(social: SocialStack, cast: Cast) {
    this.#social = social;
    this.#cast = cast;
  }

  static async start(social: SocialStack): Promise<ModelRun> {
    return new ModelRun(social, await Cast.gather(social.people));
  }

  /** Makes the calls at the same time, with a replica dying meanwhile if so wished. */
  async play(calls: readonly PlannedCall[], crash?: Crash): Promise<void> {
    this.#batch += 1;
    const underWay = calls.map((call, index) => this.#observe(call, `${this.#batch}-${index}`));
    if (crash) await this.#crash(crash);
    const observations = (await Promise.all(underWay)).filter((each) => each !== undefined);
    for (const each of observations) {
      if ('call' in each) this.answers.push(`${each.call.kind} ${each.answer}`);
    }
    this.#log.push(`${crash ? 'crash ' : ''}${JSON.stringify(observations)}`);
    this.#candidates = explainBatch(this.#candidates, observations, this.#batch);
    this.#requireCandidate('no order of these calls explains their answers');
  }

  /** Lists and everything heard must agree with one and the same possible history. */
  async finish(): Promise<void> {
    await Promise.all(this.#restarting);
    for (const by of users) {
      for (const replica of [0, 1] as const) {
        await this.play([{ kind: 'list', by, about: by, subuser: 'cook', replica }]);
      }
    }
    await this.#social.settled();
    this.#candidates = this.#candidates.filter((state) => this.#agreesWithHeard(state));
    this.#requireCandidate('what was heard is not what the model expects');
  }

  #requireCandidate(complaint: string): void {
    if (this.#candidates.length > 0) return;
    const heard = this.#lanes().filter(({ heard: each }) => each.length > 0);
    throw new Error(`${complaint}\n${this.#log.join('\n')}\nheard ${JSON.stringify(heard)}`);
  }

  #agreesWithHeard(state: ModelState): boolean {
    return this.#lanes().every((lane) => isHeardAs(state, lane, lane.heard));
  }

  #lanes(): { from: User; to: Name; heard: string[] }[] {
    const names: readonly Name[] = [...users, ...subusers];
    return users.flatMap((from) =>
      names.map((to) => ({ from, to, heard: this.#heardBetween(from, to) })),
    );
  }

  #heardBetween(from: User, to: Name): string[] {
    return this.#social.listener
      .between(this.#cast.ids[from], this.#cast.ids[to])
      .map(({ notice, text }) =>
        notice
          ? [shorten(notice.kind), this.#cast.nameOf(notice.subuserId)].filter(Boolean).join(' ')
          : text,
      );
  }

  async #crash({ replica, afterMs }: Crash): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const process = this.#social.replica(replica);
    await process.kill();
    this.#restarting.push(process.restart());
  }

  async #observe(planned: PlannedCall, id: string): Promise<Observation | undefined> {
    if (planned.kind === 'list') return this.#list(planned);
    if (planned.kind === 'again') return this.#repeat(planned);
    const mine = this.#sent.filter(({ by }) => by === planned.by);
    const message = (planned.replica === 0 ? mine : this.#sent).at(-1);
    const call = { ...planned, text: `message ${id}`, sender: message?.by } as ModelCall;
    const raw = this.#cast.rawCall(planned, id, message?.messageId ?? createId());
    try {
      const response = await this.#untilAnswered(raw, planned.replica);
      this.#remember(planned, raw, response);
      return { call, answer: answerOf(planned.kind, response) };
    } catch (error) {
      return { call, answer: refusalOf(error) };
    }
  }

  #remember({ kind, by }: PlannedCall, call: RawCall, response: AnyResponse): void {
    if (kind === 'status') return;
    this.#lastCall[by] = { call, response };
    if (kind === 'send') this.#sent.push({ by, messageId: String(response['messageId']) });
  }

  /** Anybody's last call, made again with the same request id, is answered as it was. */
  async #repeat({ by, replica }: PlannedCall): Promise<undefined> {
    const last = this.#lastCall[by];
    if (!last) return undefined;
    const response = await this.#untilAnswered(last.call, replica);
    if (JSON.stringify(response) === JSON.stringify(last.response)) return undefined;
    throw new Error(`a retry was answered ${JSON.stringify(response)}\n${this.#log.join('\n')}`);
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

  /** A call whose replica died is made again through the other one. */
  async #untilAnswered<T>(call: (graph: Graph) => Promise<T>, replica: Replica): Promise<T> {
    return untilAnswered((attempt) =>
      call(this.#social.graphs[((replica + attempt) % 2) as Replica]),
    );
  }
}
