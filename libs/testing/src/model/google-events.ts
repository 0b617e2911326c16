import { defaultUsage, type WireAnswer } from './openai-events';

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\r\n\r\n`;
}

/** Renders an answer as events in the streaming format of Google's Gemini API, in which arguments arrive whole. */
export function googleEvents({
  text = [],
  calls = [],
  usage = defaultUsage,
  stop = 'STOP',
}: WireAnswer): string[] {
  const { input, output, cached } = usage;
  const parts = [
    ...text.map((piece) => ({ text: piece })),
    ...calls.map(({ name, fragments }) => ({
      functionCall: { name, args: JSON.parse(fragments.join('') || '{}') as unknown },
    })),
  ];
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    cachedContentTokenCount: cached,
  };
  return [
    ...parts.map((part) =>
      event({ candidates: [{ content: { role: 'model', parts: [part] }, index: 0 }] }),
    ),
    event({ candidates: [{ finishReason: stop, index: 0 }], usageMetadata }),
  ];
}
