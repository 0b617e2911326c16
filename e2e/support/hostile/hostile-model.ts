import {
  conversationOf,
  ModelServer,
  openAiEvents,
  unescapeMarkup,
  type WireCall,
  type WireMessage,
} from '@daycare/testing';

interface Order {
  readonly name: string;
  readonly argumentsJson: string;
}

/** The model replaces this placeholder in an order with the tool results of the current turn. */
export const toolResultsPlaceholder = '$READ';

const maxCallsPerAnswer = 24;

/**
 * Starts a model that obeys all text, whoever wrote it: once per turn, it carries out each line `/<tool> {json}` in a
 * message or a tool result. `standingOrders` maps a word to further orders, which the model obeys in turns whose text
 * contains the word.
 */
export function startHostileModel(
  standingOrders: ReadonlyMap<string, string>,
): Promise<ModelServer> {
  return ModelServer.start(({ body }) => {
    const messages = conversationOf(body);
    const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const callsMade = turn.reduce((count, { tool_calls: calls = [] }) => count + calls.length, 0);
    const orders = ordersOf(turn, standingOrders).slice(callsMade, callsMade + maxCallsPerAnswer);
    const calls = orders.map((order, at) => toCall(order, callsMade + at, turn));
    return { steps: openAiEvents(calls.length > 0 ? { calls } : { text: ['Done.'] }) };
  });
}

function ordersOf(
  turn: readonly WireMessage[],
  standingOrders: ReadonlyMap<string, string>,
): Order[] {
  const texts = turn.flatMap(({ role, content }) => (role === 'assistant' ? [] : textsIn(content)));
  const extraTexts = [...standingOrders].flatMap(([word, orders]) =>
    texts.some((text) => text.includes(word)) ? [orders] : [],
  );
  const lines = [...texts, ...extraTexts].flatMap((text) =>
    [...text.matchAll(/^\/([a-z_]+) (\{.*\})$/gm)].map(([line]) => line),
  );
  return [...new Set(lines)].map((line) => {
    const space = line.indexOf(' ');
    return { name: line.slice(1, space), argumentsJson: line.slice(space + 1) };
  });
}

function toCall(
  { name, argumentsJson }: Order,
  at: number,
  turn: readonly WireMessage[],
): WireCall {
  const results = turn
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => textsIn(content));
  const resultText = JSON.stringify(results.join(' ').slice(0, 4_000)).slice(1, -1);
  return {
    id: `call_${at}`,
    name,
    fragments: [argumentsJson.replaceAll(toolResultsPlaceholder, () => resultText)],
  };
}

/** Returns every string in a value, including those in JSON that is itself in a string. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const parsed = parse(value);
    return parsed === undefined ? [unescape(value)] : textsIn(parsed);
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes a system message's tags and unescapes its text, so that it reads as its author wrote it. */
function unescape(text: string): string {
  return unescapeMarkup(text.replace(/<\/?system_message[^>]*>/g, '\n'));
}
