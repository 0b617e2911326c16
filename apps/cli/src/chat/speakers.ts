import type { Session } from '../client/session';
import { listAgents } from '../names/agents';
import { friendName, loadFriends } from '../names/friends';
import { safeLine } from '../output/safe-text';
import type { NameOf } from '../output/speaker';

/** A name that is not known yet is not looked up more often. */
const reloadMs = 30_000;

/** What the person calls those who write to their agents: friends by nickname or name, agents by label. */
export class Speakers {
  readonly #session: Pick<Session, 'graph' | 'runtime'>;
  #names: ReadonlyMap<string, string> = new Map();
  #loadedMs = -Infinity;

  constructor(session: Pick<Session, 'graph' | 'runtime'>) {
    this.#session = session;
  }

  readonly nameOf: NameOf = (origin) => this.#names.get(origin);

  /** Loads names, so that `nameOf` knows this origin if it has one. The chat works without them. */
  async prepare(origin: string): Promise<void> {
    const isNamed = /^(?:friend:|[a-z][a-z0-9]{23}$)/.test(origin);
    if (!isNamed || this.#names.has(origin)) return;
    if (performance.now() - this.#loadedMs < reloadMs) return;
    this.#loadedMs = performance.now();
    this.#names = await loadNames(this.#session).catch(() => this.#names);
  }
}

async function loadNames(
  session: Pick<Session, 'graph' | 'runtime'>,
): Promise<ReadonlyMap<string, string>> {
  const [{ friends }, agents] = await Promise.all([loadFriends(session), listAgents(session)]);
  return new Map([
    ...friends.flatMap((friend) => {
      const name = friendName(friend);
      const { nametag } = friend;
      return name === '' ? [] : [[`friend:${nametag}`, `${name}'s agent (${nametag})`] as const];
    }),
    ...agents.map(({ id, label }) => [id, `agent ${JSON.stringify(safeLine(label))}`] as const),
  ]);
}
