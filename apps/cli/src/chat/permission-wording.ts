import { Trust } from '@daycare/contracts/common';
import {
  PermissionDecision,
  PermissionState,
  TurnSource,
  type PermissionRequest,
  type TurnStarter,
} from '@daycare/contracts/agent-runtime';
import { safeLine, safeText } from '../output/safe-text';
import { toWord } from '../output/words';

const maxReasonCharacters = 200;

/**
 * Returns the question as a prompt. An answer must repeat the code, which is random for each question, so that text
 * typed for the agent does not answer the question.
 */
export function permissionQuestion(request: PermissionRequest, code: string): string {
  if (request.call) return `Allow this call? ${choices(code, true)} `;
  const reason = safeLine(request.reason);
  const shown =
    reason.length > maxReasonCharacters ? `${reason.slice(0, maxReasonCharacters)}…` : reason;
  return `Allow ${subjectOf(request)}? ${shown} ${choices(code, false)} `;
}

/**
 * Returns the lines shown above the question: the call and what "always" covers or, for other requests, the reason if
 * it is too long for the question. In both cases the lines also say who started the turn, if that is known. Returns
 * undefined if there is nothing to show.
 */
export function permissionDetails(request: PermissionRequest): string | undefined {
  if (request.call) return [callText(request), alwaysText(request)].join('\n');
  const reason = safeLine(request.reason);
  const lines = [
    ...(reason.length > maxReasonCharacters ? [reason] : []),
    ...starterLines(request),
  ];
  return lines.length > 0 ? lines.join('\n') : undefined;
}

/** Describes the exact call, who wants to make it and who started the turn. */
export function callText(request: PermissionRequest): string {
  const { agentLabel, call } = request;
  const lines = [
    `Agent "${safeLine(agentLabel)}" wants to call ${safeLine(call?.toolName ?? '')} with exactly these arguments:`,
    safeText(indented(call?.argumentsJson ?? '')),
    ...starterLines(request),
  ];
  return lines.join('\n');
}

/** Says what "always" covers, which is more than the call that is shown. */
function alwaysText({ call, startedBy }: PermissionRequest): string {
  const turns = coveredTurns[startedBy?.trust ?? Trust.OWN] ?? 'your own turns';
  const unlessPrivate = startedBy?.hasReadPrivate
    ? ''
    : ', unless the turn has read something private';
  return `"Always" allows this agent every ${safeLine(call?.toolName ?? '')} call, whatever its arguments, in ${turns}${unlessPrivate}.`;
}

const coveredForSender =
  'your own turns and in turns that the same sender starts and that read nothing else written by guests or outsiders';

const coveredTurns: Partial<Record<Trust, string>> = {
  [Trust.PERSON]: 'turns that you start yourself',
  [Trust.GUEST]: coveredForSender,
  [Trust.OUTSIDE]: coveredForSender,
};

function starterLines({ startedBy }: PermissionRequest): string[] {
  return startedBy ? [`The turn was started by ${starterText(startedBy)}.`] : [];
}

/** Describes who started a turn, e.g. `a friend (otter7), trust guest`. */
export function starterText({
  source,
  origin,
  nametag,
  trust,
  hasReadPrivate,
}: TurnStarter): string {
  const who = starters[source] ?? 'an unknown sender';
  const name = safeLine(nametag || origin);
  const isNamed = name !== '' && source !== TurnSource.PERSON;
  const read = hasReadPrivate ? '; it has read something private' : '';
  return `${who}${isNamed ? ` (${name})` : ''}, trust ${toWord(Trust, trust)}${read}`;
}

const starters: Partial<Record<TurnSource, string>> = {
  [TurnSource.PERSON]: 'you',
  [TurnSource.OWN_AGENT]: 'one of your agents',
  [TurnSource.OWNER_AGENT]: "an agent of the subuser's owner",
  [TurnSource.SCHEDULE]: 'a schedule',
  [TurnSource.FRIEND]: 'a friend',
  [TurnSource.GUEST]: 'a guest',
  [TurnSource.STRANGER]: 'a stranger',
  [TurnSource.WEBHOOK]: 'a webhook',
  [TurnSource.ENGINE]: 'Daycare itself',
};

/** Reads a decision from a line; returns undefined if the line does not repeat the code and give an answer. */
export function readDecision(line: string, code: string): PermissionDecision | undefined {
  const [first, word, ...rest] = line.trim().toLowerCase().split(/\s+/);
  return first === code && rest.length === 0 ? decisions[word ?? ''] : undefined;
}

const decisions: Partial<Record<string, PermissionDecision>> = {
  y: PermissionDecision.GRANT,
  yes: PermissionDecision.GRANT,
  a: PermissionDecision.ALWAYS,
  always: PermissionDecision.ALWAYS,
  n: PermissionDecision.DENY,
  no: PermissionDecision.DENY,
};

/** Says how to answer, after a line that was not an answer. */
export function answerHint(code: string): string {
  return `Answer with one of the choices shown, e.g. "${code} y" or "${code} n", or press Ctrl-C to decide later.`;
}

export function permissionOutcome(request: PermissionRequest): string {
  return request.state === PermissionState.EXPIRED
    ? `Too late: the request for ${subjectOf(request)} has expired.`
    : `${subjectOf(request)}: ${toWord(PermissionState, request.state)}.`;
}

/** Describes a request and says how to decide it, for chats without a terminal, which cannot ask the person. */
export function permissionNotice(request: PermissionRequest): string {
  const how = `decide with "daycare permission decide ${request.id} grant" or "deny"`;
  if (request.call) return `${callText(request)}\n(${how})`;
  const asked = `Permission requested: ${subjectOf(request)}.`;
  return [asked, safeLine(request.reason), ...starterLines(request), `(${how})`].join(' ');
}

function choices(code: string, isCall: boolean): string {
  return isCall
    ? `[${code} y = once, ${code} a = always, ${code} n = no]`
    : `[${code} y = yes, ${code} n = no]`;
}

function subjectOf({ permission, call, agentLabel }: PermissionRequest): string {
  const what = call ? `${call.toolName} call` : permission;
  return `${safeLine(what)} for agent "${safeLine(agentLabel)}"`;
}

/** Keeps each string on one line, so that its text cannot imitate other fields. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return JSON.stringify(json);
  }
}
