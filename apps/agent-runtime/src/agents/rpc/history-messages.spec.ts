import { expect, it } from '@jest/globals';
import { toRecordMessage } from './history-messages';

it.each([
  ['ends the work', { endsWork: true } as const, true],
  ['only informs', {}, false],
])('a note that %s says so when it is sent', (_, facts, endsWork) => {
  const note = {
    kind: 'note',
    text: 'no',
    sequence: 3,
    recordedAt: new Date(0),
    ...facts,
  } as const;
  expect(toRecordMessage(note).record).toEqual({ $case: 'note', value: { text: 'no', endsWork } });
});
