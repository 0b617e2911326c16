import {
  type Agent,
  type ContextMessage,
  type CurrentWork,
  renderSystemMessage,
  type UserProfile,
} from '../../agents';
import { describeStarter } from '../../tools';
import { defaultTimeZone, describeTime } from './describe-time';
import { turnSection, type PromptTurn } from './turn-section';

export interface SituationDeps {
  /** Returns undefined when the profile is currently unavailable. */
  readonly profileOf: (userId: string) => Promise<UserProfile | undefined>;
  /** Reports whether an agent's guests share one conversation. */
  readonly isShared: (agent: Agent) => Promise<boolean>;
  readonly now: () => Date;
}

/**
 * Renders what is specific to a turn: the current time, the user, who started the turn and the rules that follow
 * from that.
 */
export type SituationFor = (agent: Agent, turn: PromptTurn) => Promise<string>;

/**
 * Renders the end of every request of a turn, except requests for a summary. Facts about the turn are only here, so
 * that providers can cache everything before it; nothing that an agent's creator or a sender wrote comes after it.
 */
export function makeSituationFor({ profileOf, isShared, now }: SituationDeps): SituationFor {
  return async (agent, turn) => {
    const profile = await profileOf(agent.userId);
    const lines = [
      `It is ${describeTime(now(), profile?.timeZone ?? defaultTimeZone)}.`,
      ...(profile ? [`Your user is ${profile.name} (${profile.nametag}).`] : []),
      startOf(turn),
    ];
    const isConversationShared = turn.foreignWriter !== undefined && (await isShared(agent));
    const section = turnSection(isConversationShared ? { ...turn, isShared: true } : turn);
    return renderSystemMessage('system', [lines.join('\n'), section].filter(Boolean).join('\n\n'));
  };
}

/** Says who started the turn. The rules that follow from a foreign starter are in `turnSection`. */
function startOf({ trust, startedBy }: PromptTurn): string {
  if (startedBy.source === 'person') return 'This turn was started by your user.';
  return `This turn was started by ${describeStarter(trust, startedBy)}.`;
}

/** Returns hints for a model whose previous answer in the same turn was truncated or empty. */
export function situationHints(
  { wasEmpty }: CurrentWork,
  context: readonly ContextMessage[],
): string {
  const hints = [
    ...(context.at(-1)?.role === 'assistant'
      ? [
          'Your answer was cut off at its maximum length. Continue exactly where it ends; repeat nothing.',
        ]
      : []),
    ...(wasEmpty ? ['Your answer was empty. Answer now; if there is nothing to do, say so.'] : []),
  ];
  return hints.map((hint) => `\n${renderSystemMessage('system', hint)}`).join('');
}
