/** Notes and notices about messages, for people and models. None of them quotes a message. */

/** For the person whose message was abandoned; `reason` is our own wording. */
export function couldNotHandleNote(reason: string): string {
  const why = reason.trim().replace(/\.+$/, '');
  return why === ''
    ? 'I could not handle your message.'
    : `I could not handle your message: ${why}.`;
}

/** For the person whose agent is waiting out a transient failure; `reason` is our own wording. */
export function waitingNote(source: string, reason: string, until: Date): string {
  const time = until.toISOString().slice(11, 16);
  return `I am waiting for ${source}: ${reason}. I will try again at ${time} UTC; you do not need to do anything.`;
}

/**
 * For the agent whose message was abandoned; `label` is the agent it was sent to, if the notice may name that
 * agent.
 */
export function undeliveredNotice(label: string | undefined): string {
  const recipient = label === undefined ? 'an agent' : JSON.stringify(label);
  return `Your message to ${recipient} could not be handled. It will not be retried.`;
}

/** For the person whose agent reset itself. */
export function emergencyResetNote(): string {
  return 'Our conversation grew too long, so I started over. I no longer remember what was said before.';
}

/** For the person whose agent left out the oldest part of the conversation. */
export function leftOutNote(): string {
  return 'Our conversation grew too long, so I left out its oldest part.';
}

/** For the person whose agent's answer was too long and has been truncated. */
export function truncatedAnswerNote(): string {
  return 'My answer was too long and ends here. Write to me if you want me to continue.';
}

/** For the person whose agent's model returned an empty answer twice. */
export function noAnswerNote(): string {
  return 'The model gave no answer.';
}

/** For the person whose agent has no context space left for messages from others. */
export function contextFullNote(): string {
  return 'I could not read a message from someone else: my context is full. Reset me to make room.';
}

/** For the person whose agent reached the limit of tool rounds. */
export function toolLimitNote(rounds: number): string {
  return `I stopped after ${rounds} rounds of tool calls. Write to me if you want me to continue.`;
}

/** For the person whose agent reached the limit of tool calls. */
export function toolCallsLimitNote(calls: number): string {
  return `I stopped after ${calls} tool calls. Write to me if you want me to continue.`;
}

/** For the person whose agent reached the time limit of a turn. */
export function timeLimitNote(spentMs: number): string {
  const minutes = Math.max(1, Math.round(spentMs / 60_000));
  return `I stopped after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} of work. Write to me if you want me to continue.`;
}

/** For the person whose agent left a message unanswered because its sender may no longer write. */
export function droppedNote(): string {
  return 'I did not answer a message: its sender may no longer write to me.';
}

/** Recorded in the history of an agent whose scheduled run was ended because a newer run replaced it. */
export function replacedNote(): string {
  return 'Replaced by a newer run.';
}

/** For the person, when a stop, a reset or the end of the agent has stopped a turn. */
export function stoppedNote(): string {
  return 'Stopped.';
}

/** For the agent whose background agent failed. */
export function backgroundFailedNotice({
  label,
  id,
  reason,
}: {
  readonly label: string;
  readonly id: string;
  readonly reason: string;
}): string {
  return `Background agent ${JSON.stringify(label)} (${id}) failed: ${reason}.`;
}
