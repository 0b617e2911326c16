import { describe, expect, it } from '@jest/globals';
import { couldNotHandleNote, emergencyResetNote, undeliveredNotice } from './message-wording';

describe('message wording', () => {
  it.each([
    ['the model did not answer', 'I could not handle your message: the model did not answer.'],
    ['the model did not answer. ', 'I could not handle your message: the model did not answer.'],
    ['', 'I could not handle your message.'],
    [' . ', 'I could not handle your message.'],
  ])(
    'the note about an abandoned message ends with one full stop for the reason %p',
    (reason, note) => {
      expect(couldNotHandleNote(reason)).toBe(note);
    },
  );

  it('notifies an agent that its message to another agent was abandoned', () => {
    expect(undeliveredNotice('cli:me')).toBe(
      'Your message to "cli:me" could not be handled. It will not be retried.',
    );
  });

  it('notifies a person that the agent reset itself', () => {
    expect(emergencyResetNote()).toBe(
      'Our conversation grew too long, so I started over. I no longer remember what was said before.',
    );
  });
});
