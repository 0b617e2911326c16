import { splitFrames, type WireFrame, type WireProtocol } from './wire-protocol';

const lineEnd = '\r\n';

type Side = 'client' | 'server';

/** The steps that a process takes with system messages and receipts, by direction and subject. */
const steps: readonly { readonly by: Side; readonly subject: RegExp; readonly step: string }[] = [
  { by: 'client', subject: /^[^.]+\.messages\./, step: 'publish' },
  { by: 'server', subject: /^[^.]+\.receipts\./, step: 'receipt' },
  { by: 'server', subject: /^[^.]+\.messages\./, step: 'delivery' },
  { by: 'client', subject: /^[^.]+\.receipts\./, step: 'send receipt' },
  { by: 'client', subject: /^\$JS\.ACK\./, step: 'acknowledge' },
];

/** The text protocol of NATS without TLS. */
export const natsProtocol: WireProtocol = {
  splitClient: () => splitFrames((received) => takeOperation(received, 'client')),
  splitServer: () => splitFrames((received) => takeOperation(received, 'server')),
};

function takeOperation(received: Buffer, by: Side): WireFrame | undefined {
  const end = received.indexOf(lineEnd);
  if (end < 0) return undefined;
  const line = received.subarray(0, end).toString();
  const [verb = '', ...words] = line.split(/\s+/);
  const length = end + lineEnd.length + payloadLength(verb, words);
  if (received.length < length) return undefined;
  const bytes = received.subarray(0, length);
  if (verb === 'INFO') return { bytes, replacement: withoutOtherAddresses(line) };
  return { bytes, ...describe(verb.toUpperCase(), words, by) };
}

/** A client that knew other addresses of the server would bypass the proxy. */
function withoutOtherAddresses(info: string): Buffer {
  const { connect_urls: _dropped, ...otherFields } = JSON.parse(info.slice('INFO'.length)) as {
    readonly connect_urls?: unknown;
  };
  return Buffer.from(`INFO ${JSON.stringify(otherFields)}${lineEnd}`);
}

function payloadLength(verb: string, words: readonly string[]): number {
  return /^H?(PUB|MSG)$/i.test(verb) ? Number(words.at(-1)) + lineEnd.length : 0;
}

/** Responses arrive at the request's reply subject. */
function describe(verb: string, words: readonly string[], by: Side): Omit<WireFrame, 'bytes'> {
  const [subject = ''] = words;
  const step = steps.find(
    (candidate) => candidate.by === by && candidate.subject.test(subject),
  )?.step;
  const named = step === undefined ? {} : { step };
  if (verb === 'MSG' || verb === 'HMSG') return { ...named, answers: subject };
  if (verb !== 'PUB' && verb !== 'HPUB') return {};
  const hasReply = words.length === (verb === 'PUB' ? 3 : 4);
  return { ...named, ...(hasReply && { awaits: words[1]! }) };
}
