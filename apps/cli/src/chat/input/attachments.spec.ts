import { expect, it } from '@jest/globals';
import type { FileReference } from '@daycare/contracts/agent-runtime';
import { Attachments } from './attachments';

const file = (id: string): FileReference => ({ id, name: id, mimeType: 'text/plain', size: 1 });

/** Returns a chat that records each post with its files. */
function newChat() {
  const attachments = new Attachments();
  const posted: [string, readonly string[]][] = [];
  const send = (text: string) =>
    attachments.postWithFiles(async (ids) => void posted.push([text, ids]));
  return { attachments, posted, send };
}

function newUpload() {
  let done: (uploaded: FileReference) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const upload = new Promise<FileReference>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  return { upload, done, fail };
}

it('messages sent during an upload wait for the upload, and only the first message includes the file', async () => {
  const { attachments, posted, send } = newChat();
  const { upload, done } = newUpload();
  const added = attachments.add(upload);
  const sent = [send('with it'), send('without')];
  done(file('a'));
  await Promise.all([added, ...sent]);
  expect(posted).toEqual([
    ['with it', ['a']],
    ['without', []],
  ]);
});

it('the files of a message that could not be sent are sent with the next message', async () => {
  const { attachments, posted, send } = newChat();
  await attachments.add(Promise.resolve(file('a')));
  const refuse = async () => Promise.reject(new Error('refused'));
  await expect(attachments.postWithFiles(refuse)).rejects.toThrow('refused');
  await attachments.add(Promise.resolve(file('b')));
  await send('again');
  expect(posted).toEqual([['again', ['a', 'b']]]);
});

it('a message is not sent if the upload of one of its files failed, and its other files are sent with the next message', async () => {
  const { attachments, posted, send } = newChat();
  const { upload, fail } = newUpload();
  await attachments.add(Promise.resolve(file('a')));
  const added = attachments.add(upload);
  const sent = send('both');
  fail(new Error('too large'));
  await expect(added).rejects.toThrow('too large');
  await expect(sent).rejects.toThrow('The message was not sent');
  await send('one');
  expect(posted).toEqual([['one', ['a']]]);
});
