import { describe, expect, it } from '@jest/globals';
import { couldNotHandleNote, emergencyResetNote, undeliveredNotice } from './message-wording';

describe('what people and models are told', () => {
  it.each([
    ['the model did not answer', 'I could not handle your message: the model did not answer.'],
    ['the model did not answer. ', 'I could not handle your message: the model did not answer.'],
    ['', 'I could not handle your message.'],
    [' . ', 'I could not handle your message.'],
  ])('of a message given up because of %p', (reason, note) => {
    expect(couldNotHandleNote(reason)).toBe(note);
  });

  it('of a message to another agent that was given up', () => {
    expect(undeliveredNotice({ label: 'cli:me' })).toBe(
      'Your message to cli:me could not be handled. It will not be tried again.',
    );
  });

  it('of an agent that reset itself', () => {
    expect(emergencyResetNote()).toBe(
      'Our conversation grew too long, so I started over. I no longer remember what was said before.',
    );
  });
});
