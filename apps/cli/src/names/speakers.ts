import type { HistoryRecord } from '@daycare/contracts/agent-runtime';
import type { Session } from '../client/session';
import { safeLine } from '../output/safe-text';
import type { NameOf } from '../output/speaker';
import { listAgents } from './agents';
import { friendName, loadFriends } from './friends';

/** The minimum interval between two lookups of unknown names. */
const reloadMs = 30_000;

/** Names the senders of messages to the person's agents: friends by nickname or name, agents by label. */
export class Speakers {
  readonly #session: Pick<Session, 'graph' | 'runtime'>;
  #names: ReadonlyMap<string, string> = new Map();
  #loadedMs = -Infinity;

  constructor(session: Pick<Session, 'graph' | 'runtime'>) {
    this.#session = session;
  }

  readonly nameOf: NameOf = (origin) => this.#names.get(origin);

  /**
   * Loads names, at most once per `reloadMs`, if `nameOf` has no name for the sender of one of these records. Ignores
   * failures; the history is then shown without names.
   */
  async prepare(records: readonly HistoryRecord[]): Promise<void> {
    if (!records.some((record) => this.#isUnknown(record))) return;
    if (performance.now() - this.#loadedMs < reloadMs) return;
    this.#loadedMs = performance.now();
    this.#names = new Map([...this.#names, ...(await loadNames(this.#session))]);
  }

  #isUnknown({ record }: HistoryRecord): boolean {
    if (record?.$case !== 'userMessage') return false;
    const { origin } = record.value;
    return /^(?:friend:|[a-z][a-z0-9]{23}$)/.test(origin) && !this.#names.has(origin);
  }
}

type Names = readonly (readonly [origin: string, name: string])[];

/** Loads all names, except for those from a service whose call fails. */
async function loadNames(session: Pick<Session, 'graph' | 'runtime'>): Promise<Names> {
  const found = await Promise.all(
    [friendsIn(session), agentsIn(session)].map((names) => names.catch((): Names => [])),
  );
  return found.flat();
}

async function friendsIn(session: Pick<Session, 'graph'>): Promise<Names> {
  const { friends } = await loadFriends(session);
  return friends.flatMap((friend) => {
    const name = friendName(friend);
    const { nametag } = friend;
    return name === '' ? [] : [[`friend:${nametag}`, `${name}'s agent (${nametag})`] as const];
  });
}

async function agentsIn(session: Pick<Session, 'runtime'>): Promise<Names> {
  const agents = await listAgents(session);
  return agents.map(({ id, label }) => [id, `agent ${JSON.stringify(safeLine(label))}`] as const);
}
