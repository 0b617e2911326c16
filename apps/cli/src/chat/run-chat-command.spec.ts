import { describe, expect, it } from '@jest/globals';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import { noColours } from '../terminal/colours';
import type { Conversation } from './conversation';
import { runChatCommand } from './run-chat-command';

/** Runs `/save` in a conversation whose `save` yields what this generator yields. */
function runSave(save: () => AsyncIterable<string>): Promise<string> {
  const conversation = { save } as unknown as Conversation;
  return runChatCommand({ kind: 'save', folder: '.' }, conversation, { colours: noColours });
}

describe('/save', () => {
  it('lists the paths of all saved files', async () => {
    const saved = await runSave(async function* () {
      yield '/in/a.txt';
      yield '/in/b.txt';
    });
    expect(saved).toBe('Saved /in/a.txt\nSaved /in/b.txt\n');
  });

  it('says so when no reply has files', async () => {
    const saved = await runSave(async function* () {
      yield* [];
    });
    expect(saved).toBe('No reply has files yet.\n');
  });

  it('names the files that were saved before the one that could not be saved', async () => {
    const saving = runSave(async function* () {
      yield '/in/a.txt';
      throw new Failure(exitCodes.failure, 'Cannot save b.txt.');
    });
    await expect(saving).rejects.toThrow('Cannot save b.txt. Saved before that: /in/a.txt');
  });
});
