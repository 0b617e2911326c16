import { createId } from '@daycare/api/create-id';
import { post } from '../../people/history';
import type { Person } from '../../people/people';
import type { Stack } from '../../stack/stack';
import { AnswerStream } from './answer-stream';
import { PhotoAlbum } from './photo-album';
import { Traffic, type SentMessage } from './traffic';
import type { ProviderStatistics } from './windowed-server';

/** The turn in which the agent receives the facts that it must still know at the end. */
export const factTurn = 10;
const answerWithinMs = 60_000;

/** A conversation with an agent, and the facts that the agent must remember. */
export class LongConversation {
  readonly #facts = [createId(), createId()].map((id) => `FACT-${id}`);
  readonly #answers: AnswerStream;
  readonly #traffic = new Traffic();

  private constructor(
    private readonly stack: Stack,
    private readonly ada: Person,
    private readonly eve: Person,
    private readonly photos: PhotoAlbum,
    answers: AnswerStream,
  ) {
    this.#answers = answers;
  }

  static async begin(stack: Stack, ada: Person, eve: Person): Promise<LongConversation> {
    const agent = stack.people.clientOf(ada).agent({ connector: 'cli', channelId: 'desk' });
    const { afterSequence } = await agent.send('#0# prepare a file');
    const answers = new AnswerStream(agent, afterSequence);
    await answers.answerTo(0, answerWithinMs);
    return new LongConversation(stack, ada, eve, new PhotoAlbum(stack.runtime, ada), answers);
  }

  /** Sends the message for this turn and waits for the answer. */
  async turn(number: number, from: 'person' | 'friend'): Promise<void> {
    if (number === 0) return;
    if (from === 'friend') await this.#sendAsFriend(this.#traffic.nextHostile(number));
    else if (number === factTurn)
      await this.#send({ text: `#${number}# remember ${this.#facts.join(' and ')}` });
    else await this.#send(this.#traffic.nextUsual(number));
    await this.#answers.answerTo(number, answerWithinMs);
  }

  /** Asks for the facts; returns those that the agent has lost, and everything else that went wrong. */
  async finish(number: number, statistics: ProviderStatistics): Promise<string[]> {
    await this.#send({ text: `#${number}# which facts do you know?` });
    const answer = await this.#answers.answerTo(number, answerWithinMs);
    this.#answers.close();
    const lost = this.#facts.filter((fact) => !answer.includes(fact));
    const request = { pageSize: 10, pageToken: '', agentId: '' };
    const { deadLetters } = await this.stack.runtime.listDeadLetters(request, this.ada.as);
    return [
      ...lost.map((fact) => `${fact} is forgotten: ${answer.slice(0, 200)}`),
      ...deadLetters.map(({ reason }) => `a dead letter: ${reason}`),
      ...(statistics.summaries === 0 && number > 40 ? ['nothing was ever summarised'] : []),
      ...(statistics.images === 0 && number > 40 ? ['no request had an image'] : []),
    ];
  }

  async #send({ text, withImage }: SentMessage): Promise<void> {
    const fileIds = withImage ? [await this.photos.next()] : [];
    await this.stack.runtime.postMessage({ ...post(text), fileIds }, this.ada.as);
  }

  async #sendAsFriend({ text }: SentMessage): Promise<void> {
    await this.stack.people.message(this.eve, this.ada, text);
  }
}
