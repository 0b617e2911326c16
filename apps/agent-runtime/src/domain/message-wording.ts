/** What people and models are told about messages. None of it repeats what a message said. */

/** For the person whose message was given up; `reason` says why in words of ours. */
export function couldNotHandleNote(reason: string): string {
  const why = reason.trim().replace(/\.+$/, '');
  return why === ''
    ? 'I could not handle your message.'
    : `I could not handle your message: ${why}.`;
}

/** For the agent whose message was given up; `label` is the agent it was sent to. */
export function undeliveredNotice({ label }: { readonly label: string }): string {
  return `Your message to ${label} could not be handled. It will not be tried again.`;
}

/** For the person whose agent reset itself. */
export function emergencyResetNote(): string {
  return 'Our conversation grew too long, so I started over. I no longer remember what was said before.';
}

/** For the person whose agent wanted to use tools for longer than it may. */
export function toolLimitNote(rounds: number): string {
  return `I stopped after ${rounds} rounds of using tools. Write to me if I should go on.`;
}

/** For the agent that started a background agent. */
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
