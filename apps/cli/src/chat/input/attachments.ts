import type { FileReference } from '@daycare/contracts/agent-runtime';
import { exitCodes } from '../../failure/exit-codes';
import { Failure } from '../../failure/failure';

type Upload = Promise<FileReference>;

/**
 * The files to send with the next message. Each file is sent with only one message, even if messages are typed while
 * the file is being uploaded.
 */
export class Attachments {
  #uploads: readonly Upload[] = [];
  /** The uploads of earlier messages; waiting for them keeps messages in order. */
  #earlierUploads: Promise<unknown> = Promise.resolve();

  /** Adds a file immediately; resolves when it has been uploaded. */
  async add(upload: Upload): Promise<FileReference> {
    this.#uploads = [...this.#uploads, upload];
    try {
      return await upload;
    } catch (error) {
      this.#uploads = this.#uploads.filter((other) => other !== upload);
      throw error;
    }
  }

  /**
   * Posts a message with the files added so far. The uploaded files of a message that could not be sent are sent
   * with the next message.
   */
  async postWithFiles<T>(post: (fileIds: string[]) => Promise<T>): Promise<T> {
    const uploads = this.#uploads;
    this.#uploads = [];
    const settled = Promise.allSettled(uploads);
    const earlier = this.#earlierUploads;
    this.#earlierUploads = Promise.all([earlier, settled]);
    await earlier;
    const outcomes = await settled;
    try {
      return await post(outcomes.map(idOf));
    } catch (error) {
      const uploaded = uploads.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      this.#uploads = [...uploaded, ...this.#uploads];
      throw error;
    }
  }
}

function idOf(outcome: PromiseSettledResult<FileReference>): string {
  if (outcome.status === 'fulfilled') return outcome.value.id;
  const problem = 'The message was not sent, because a file for it could not be uploaded.';
  throw new Failure(exitCodes.failure, problem, 'Attach the file and send the message again.');
}
