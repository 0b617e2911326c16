import { expect, it } from '@jest/globals';
import { toRecordMessage } from './history-messages';

it.each([
  ['ends the work', true, { endsWork: true } as const],
  ['only informs', false, {}],
])('a note that %s is sent with endsWork %p', (_, endsWork, facts) => {
  const note = {
    kind: 'note',
    text: 'no',
    sequence: 3,
    recordedAt: new Date(0),
    ...facts,
  } as const;
  expect(toRecordMessage(note).record).toEqual({ $case: 'note', value: { text: 'no', endsWork } });
});
