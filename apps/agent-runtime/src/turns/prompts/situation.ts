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
  /** Undefined when the profile is not known at the moment. */
  readonly profileOf: (userId: string) => Promise<UserProfile | undefined>;
  /** Whether the guests of an agent share one conversation. */
  readonly isShared: (agent: Agent) => Promise<boolean>;
  readonly now: () => Date;
}

/**
 * Renders the facts of a turn and its moment: the time, the user, who is asking and the rules that
 * follow.
 */
export type SituationFor = (agent: Agent, turn: PromptTurn) => Promise<string>;

/**
 * The end of every request. Facts that change from request to request are only here, so that providers can
 * cache everything before it; nothing that an agent's creator or a sender wrote comes after it.
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

/** Who started the turn. The rules that follow from a foreign starter are in `turnSection`. */
function startOf({ trust, startedBy }: PromptTurn): string {
  if (startedBy.source === 'person') return 'This turn was started by your user.';
  return `This turn was started by ${describeStarter(trust, startedBy)}.`;
}

/** The hint for a model whose previous answer to the same context was cut or empty. */
export function situationHints(
  { wasEmpty }: CurrentWork,
  context: readonly ContextMessage[],
): string {
  const hints = [
    ...(context.at(-1)?.role === 'assistant'
      ? [
          'Your answer was cut at its maximum length. Continue exactly where it ends; repeat nothing.',
        ]
      : []),
    ...(wasEmpty ? ['Your answer was empty. Answer now; if there is nothing to do, say so.'] : []),
  ];
  return hints.map((hint) => `\n${renderSystemMessage('system', hint)}`).join('');
}
