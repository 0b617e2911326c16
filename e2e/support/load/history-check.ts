import type { AcceptedMessage } from './storm-senders';

interface Work {
  readonly messageIds: readonly string[];
  readonly interruptions: number;
  readonly notBefore?: Date;
}

interface Event {
  readonly kind: string;
  readonly text?: string;
  readonly messageIds?: readonly string[];
}

/** A history entry as agent-runtime stores it. */
export interface Entry {
  readonly agentId: string;
  readonly number: number;
  readonly fence: number;
  readonly holder: string;
  readonly events: readonly Event[];
  readonly state: {
    readonly lastSequence: number;
    readonly current?: Work;
    readonly settled?: { readonly messageIds: readonly string[]; readonly dead?: object };
  };
}

export interface HistoryFigures {
  entries: number;
  /** Turns that were begun and finished. */
  turns: number;
  /** How many times an agent's entry was written under a newer lease than its previous entry. */
  takeovers: number;
  /** How many times a turn was interrupted and resumed under another lease. */
  interruptions: number;
}

const maxFaults = 20;
/** Stands in for the entry before the first one. */
const noEntry: Entry = {
  agentId: '',
  number: 0,
  fence: 0,
  holder: '',
  events: [],
  state: { lastSequence: 0 },
};

/** Reads the histories of agents entry by entry and collects all faults. */
export class HistoryCheck {
  readonly faults: string[] = [];
  readonly figures: HistoryFigures = { entries: 0, turns: 0, takeovers: 0, interruptions: 0 };
  readonly #accepted: ReadonlyMap<string, AcceptedMessage>;
  readonly #received = new Map<string, string>();
  readonly #receivedBy = new Map<string, string[]>();
  /** The replica that wrote under each fence of each shard. */
  readonly #holders = new Map<string, string>();
  /** The number of the last message received, by sender and lane. */
  #lastNumbers = new Map<string, number>();
  #shard = 0;
  #previous = noEntry;

  constructor(accepted: readonly AcceptedMessage[]) {
    this.#accepted = new Map(accepted.map((message) => [message.messageId, message]));
    if (this.#accepted.size !== accepted.length) this.#fault('two messages got the same id');
  }

  begin(agentId: string, shard: number): void {
    this.#endAgent();
    this.#shard = shard;
    this.#previous = { ...noEntry, agentId };
    this.#lastNumbers = new Map();
    this.#receivedBy.set(agentId, []);
  }

  take(entry: Entry): void {
    this.figures.entries += 1;
    this.#checkPosition(entry);
    this.#checkWriter(entry);
    this.#checkWork(entry);
    for (const event of entry.events)
      if (event.kind === 'user_message') this.#recordReceived(entry, event);
    this.#previous = entry;
  }

  end(): void {
    this.#endAgent();
    for (const { messageId, agentId, sender, number } of this.#accepted.values()) {
      if (!this.#received.has(messageId)) this.#fault(`lost: s${sender} #${number} to ${agentId}`);
    }
  }

  receivedBy(agentId: string): readonly string[] {
    return this.#receivedBy.get(agentId) ?? [];
  }

  #endAgent(): void {
    if (this.#previous.state.current) this.#faultAt(this.#previous, 'work that was never finished');
  }

  #checkPosition(entry: Entry): void {
    const { number, state } = this.#previous;
    if (entry.number !== number + 1) this.#faultAt(entry, `follows entry ${number}`);
    const expected = state.lastSequence + entry.events.length;
    if (entry.state.lastSequence !== expected) this.#faultAt(entry, 'a gap in the sequence');
  }

  #checkWriter(entry: Entry): void {
    const { fence, holder } = this.#previous;
    if (entry.fence < fence) this.#faultAt(entry, `fence ${entry.fence} after ${fence}`);
    if (entry.fence > fence && fence > 0) this.figures.takeovers += 1;
    if (entry.fence === fence && entry.holder !== holder) this.#faultAt(entry, 'a second holder');
    if (entry.fence === 0) return;
    const lease = `${this.#shard}/${entry.fence}`;
    const firstHolder = this.#holders.get(lease) ?? entry.holder;
    this.#holders.set(lease, firstHolder);
    if (firstHolder !== entry.holder) this.#faultAt(entry, `two holders of lease ${lease}`);
  }

  /** A turn runs under one lease from its first entry to its last, or is taken over as a whole. */
  #checkWork(entry: Entry): void {
    const { current: before } = this.#previous.state;
    const { current: after } = entry.state;
    if (before && after) this.#checkContinued(before, after, entry);
    else if (before) this.#checkEnd(before, entry);
    else if (after) this.#checkBegin(after, entry);
    else if (entry.number > 1 && entry.events.length > 0) this.#checkSingleEntry(entry);
  }

  /** A turn that was answered before its start had been sent to the database is a single entry. */
  #checkSingleEntry(entry: Entry): void {
    const [event, ...otherEvents] = entry.events;
    if (event?.kind !== 'user_message') return this.#faultAt(entry, 'records without work');
    this.figures.turns += 1;
    this.#checkAnswer(event.messageIds ?? [], otherEvents, entry);
  }

  #checkBegin(work: Work, entry: Entry): void {
    const [event, ...otherEvents] = entry.events;
    const isOneMessage = event?.kind === 'user_message' && otherEvents.length === 0;
    if (!isOneMessage || !isSame(event.messageIds, work.messageIds))
      this.#faultAt(entry, 'a turn does not begin with its message');
    if (work.interruptions !== 0) this.#faultAt(entry, 'a new turn already has interruptions');
  }

  #checkContinued(before: Work, after: Work, entry: Entry): void {
    if (!isSame(before.messageIds, after.messageIds) || entry.events.length > 0)
      this.#faultAt(entry, 'a turn began while another was under way');
    const isTakenOver = entry.fence > this.#previous.fence;
    const wasRunning = before.notBefore === undefined;
    const added = after.interruptions - before.interruptions;
    this.figures.interruptions += added;
    if (added !== (isTakenOver && wasRunning ? 1 : 0))
      this.#faultAt(entry, `${added} interruptions, taken over: ${isTakenOver}`);
  }

  #checkEnd({ messageIds }: Work, entry: Entry): void {
    this.figures.turns += 1;
    this.#checkAnswer(messageIds, entry.events, entry);
    if (entry.fence !== this.#previous.fence)
      this.#faultAt(entry, 'a turn was ended by a replica that had not taken it over');
  }

  #checkAnswer(messageIds: readonly string[], events: readonly Event[], entry: Entry): void {
    const { settled } = entry.state;
    const kinds = events.map(({ kind }) => kind).join();
    if (kinds !== 'assistant_message') this.#faultAt(entry, `a turn ends with '${kinds}'`);
    if (!isSame(settled?.messageIds, messageIds) || settled?.dead)
      this.#faultAt(entry, 'the items of a turn were not settled');
  }

  #recordReceived(entry: Entry, { text = '', messageIds = [] }: Event): void {
    const texts = text.split('\n');
    if (texts.length !== messageIds.length) this.#faultAt(entry, 'not one text per message');
    for (const [index, messageId] of messageIds.entries())
      this.#receiveOne(entry, messageId, texts[index] ?? '');
  }

  #receiveOne(entry: Entry, messageId: string, text: string): void {
    const { agentId } = entry;
    const message = this.#accepted.get(messageId);
    if (!message) return this.#faultAt(entry, `'${text}' belongs to no accepted message`);
    const { sender, number } = message;
    if (text !== `s${sender} #${number}`) this.#faultAt(entry, `'${text}' was never sent`);
    if (message.agentId !== agentId) this.#faultAt(entry, `'${text}' was for another agent`);
    const earlier = this.#received.get(messageId);
    if (earlier) this.#faultAt(entry, `'${text}' was also received at ${earlier}`);
    const queue = `${sender} ${message.lane}`;
    const last = this.#lastNumbers.get(queue) ?? 0;
    if (number <= last) this.#faultAt(entry, `'${text}' after #${last} of the same sender`);
    this.#lastNumbers.set(queue, number);
    this.#received.set(messageId, `${agentId} ${entry.number}`);
    this.#receivedBy.get(agentId)?.push(messageId);
  }

  #faultAt({ agentId, number, fence, holder }: Entry, what: string): void {
    this.#fault(`${agentId}, entry ${number} (fence ${fence} of ${holder}): ${what}`);
  }

  #fault(what: string): void {
    if (this.faults.length < maxFaults) this.faults.push(what);
  }
}

function isSame(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one?.join() === other.join();
}
