import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  conversationOf,
  eventually,
  ModelServer,
  openAiEvents,
  type ModelServerReply,
  type WireAnswer,
} from '@daycare/testing';
import { imageSize } from '../../apps/agent-runtime/src/files/domain/image-size';
import { samplePng } from '../../apps/agent-runtime/src/test-support/files/sample-files';
import { anthropicWire } from '../../apps/agent-runtime/src/test-support/model/anthropic-wire';
import { Cli } from '../support/cli/cli';
import { download } from '../support/people/files';
import { historyOf, post, summaryOf } from '../support/people/history';
import { readMetric } from '../support/stack/read-metric';
import { useStack } from '../support/stack/use-stack';

let server: ModelServer;
let anthropic: ModelServer;

const answer = (events: WireAnswer): ModelServerReply => ({ steps: openAiEvents(events) });
const failure = (
  status: number,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): ModelServerReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [JSON.stringify({ error: { message: 'no', type } })],
});
const friendList = { id: 'call_1', name: 'friend_list', fragments: ['{}'] };
const call = (name: string, args: object) => ({
  id: name,
  name,
  fragments: [JSON.stringify(args)],
});
const path = 'home/drawing.txt';
/** The model's answers to a request for a drawing, indexed by the number of tools that have run. */
const drawing: readonly WireAnswer[] = [
  { calls: [call('file_write', { path, content: '\\o/' })] },
  { calls: [call('attach_file', { path })] },
  { text: ['Here it is.'] },
];

const stack = useStack(async () => {
  server = await ModelServer.start(({ body }) => {
    const messages = conversationOf(body);
    const last = messages.at(-1);
    const lastText = JSON.stringify(last);
    const resultCount = messages.filter(({ role }) => role === 'tool').length;
    if (JSON.stringify(messages.slice(1)).includes('draw this'))
      return answer(drawing[resultCount]!);
    if (last?.role === 'tool') return answer({ text: ['You have ', 'no friends yet.'] });
    if (lastText.includes('fail')) return failure(400, 'invalid_request_error');
    if (lastText.includes('busy'))
      return failure(429, 'rate_limit_exceeded', { 'retry-after': '3600' });
    if (lastText.includes('friends')) return answer({ calls: [friendList] });
    return answer({ text: ['Hel', 'lo ', 'there.'], usage: { input: 11, output: 7, cached: 0 } });
  });
  anthropic = await ModelServer.start(({ body }) => {
    const resultCount = JSON.stringify(body.messages).split('"tool_result"').length - 1;
    return { steps: anthropicWire.events(drawing[resultCount]!) };
  });
  const env = {
    DAYCARE_OPENAI_URL: server.url,
    DAYCARE_ANTHROPIC_URL: anthropic.url,
    DAYCARE_ANTHROPIC_API_KEY: anthropicWire.apiKey,
    DAYCARE_MODEL: 'openai/test',
  };
  return { env, envOf: { topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' } } };
});
const { people, runtime } = stack;
let cli: Cli;
afterAll(async () => {
  await Promise.all([server.close(), anthropic.close(), cli.close()]);
});

describe('an agent with a remote model', () => {
  it('an agent offers its tools to a remote model, records the model’s answer and counts the tokens', async () => {
    const ada = await people.newPerson();
    const { agentId, afterSequence } = await runtime.postMessage(post('hello'), ada.as);
    const seen: string[] = [];
    const stop = new AbortController();
    const events = runtime.watchAgent(
      { agentId, afterSequence },
      { ...ada.as, signal: stop.signal },
    );
    for await (const { event } of events) {
      if (event?.$case === 'delta') seen.push(`… ${event.value.text}`);
      if (event?.$case !== 'record') continue;
      seen.push(summaryOf(event.value));
      if (event.value.record?.$case === 'assistantMessage') break;
    }
    stop.abort();
    expect(seen[0]).toBe('person: hello');
    expect(seen.at(-1)).toBe('agent: Hello there.');
    const selector = { $case: 'agentId', value: agentId } as const;
    const { agent } = await runtime.getAgent({ selector }, ada.as);
    expect(agent).toMatchObject({
      provider: 'openai',
      model: 'test',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    const { messages, tools } = server.requests[0]!.body as {
      messages: object[];
      tools: { function: { name: string } }[];
    };
    expect(messages[0]).toMatchObject({ role: 'system' });
    expect(tools.map((tool) => tool.function.name)).toContain('friend_add');
  });

  it('an agent runs the tools that a remote model calls and sends the results back to the model', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('who are my friends?'), ada.as);
    const lines = await eventually(async () => {
      const summaries = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return summaries.at(-1) === 'agent: You have no friends yet.' && summaries;
    });
    expect(lines).toEqual([
      'start',
      'person: who are my friends?',
      'agent: ',
      'toolResult',
      'agent: You have no friends yet.',
    ]);
  });

  it('an agent whose model refuses a request reports the refusal only once and continues with the next message', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('please fail'), ada.as);
    await eventually(async () =>
      (await historyOf(runtime, ada, agentId)).some(({ record }) => record?.$case === 'note'),
    );
    await runtime.postMessage(post('hello again'), ada.as);
    const lines = await eventually(async () => {
      const summaries = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return summaries.at(-1) === 'agent: Hello there.' && summaries;
    });
    expect(lines.filter((line) => line.startsWith('note'))).toHaveLength(1);
    const request = { pageSize: 0, pageToken: '', agentId };
    const { deadLetters } = await runtime.listDeadLetters(request, ada.as);
    expect(deadLetters).toMatchObject([{ text: 'please fail', attempts: 1 }]);
  });

  it('an agent that is waiting for its model is listed as waiting, records one note about the wait and can be stopped immediately', async () => {
    const ada = await people.newPerson();
    const { agentId } = await runtime.postMessage(post('are you busy?'), ada.as);
    const selector = { $case: 'agentId', value: agentId } as const;
    const waiting = await eventually(
      async () => (await runtime.getAgent({ selector }, ada.as)).agent?.waiting,
    );
    expect(waiting).toMatchObject({ for: 'openai' });
    await untilAgentsWait(1);
    const listing = { pageSize: 0, pageToken: '', subuserId: '', kinds: [], includeDead: false };
    const { agents } = await runtime.listAgents(listing, ada.as);
    expect(agents).toMatchObject([{ waiting }]);
    await runtime.stopTurn(
      { requestId: createId(), agentId, steeringText: 'hello', replyTarget: '' },
      ada.as,
    );
    const lines = await eventually(async () => {
      const summaries = (await historyOf(runtime, ada, agentId)).map(summaryOf);
      return summaries.at(-1) === 'agent: Hello there.' && summaries;
    });
    expect(lines.filter((line) => line.includes('waiting for openai'))).toHaveLength(1);
    expect((await runtime.getAgent({ selector }, ada.as)).agent?.waiting).toBeUndefined();
    await untilAgentsWait(0);
  });

  /** Waits until the metric for operators shows this many waiting agents. */
  async function untilAgentsWait(count: number): Promise<void> {
    const replica = stack.service('agent-runtime');
    await eventually(async () => (await readMetric(replica, 'daycare_agents_waiting')) === count);
  }
});

interface AnthropicPart {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly data: string };
}

describe('files between the command line and a model that accepts images', () => {
  beforeAll(async () => {
    cli = await Cli.open(stack);
    await cli.run(['login', '--data-dir', cli.folder, '--name', 'Ada']);
    await writeFile(join(cli.folder, 'photo.png'), samplePng(2_000, 1_000));
    await writeFile(join(cli.folder, 'notes.txt'), 'with a hat');
  });

  const questionWithFiles =
    /^draw this\n\[attached file: photo.png, image\/png, \d+ bytes, id \w+\] \(shown as image 1 below\)\n\[attached file: notes.txt, text\/plain, 10 bytes, id (\w+)\]\nwith a hat\n\[end of \1\]$/;

  /** Expects the photo to have its original proportions, and to be no larger than the provider accepts. */
  function expectScaled(base64: string): void {
    const { width, height } = imageSize(Buffer.from(base64, 'base64'), 'image/jpeg')!;
    expect(width / height).toBeCloseTo(2, 1);
    expect(width * height).toBeLessThanOrEqual(1_536 * 1_024);
  }

  it('an image and a text file sent from the chat reach Anthropic in its format, and a file from the agent can be saved', async () => {
    await cli.run(['model', 'set', 'anthropic/claude-sonnet-5-5']);
    const lines = ['/attach photo.png', '/attach notes.txt', 'draw this', '/save chat'];
    const { code, stdout } = await cli.run(['chat', '--channel', 'anthropic'], {
      stdin: lines.join('\n'),
    });
    await cli.run(['model', 'set', '--clear']);
    const saved = join(cli.folder, 'chat', 'drawing.txt');
    expect([code, stdout.split('\n').slice(-4)]).toEqual([
      0,
      ['Here it is.', '[file drawing.txt, 3 bytes; /save saves it]', `Saved ${saved}`, ''],
    ]);
    expect(await readFile(saved, 'utf8')).toBe('\\o/');
    const [question] = anthropic.requests[0]!.body.messages as { content: AnthropicPart[] }[];
    const [text, image, ...situation] = question!.content;
    expect(text?.text).toMatch(questionWithFiles);
    const source = { type: 'base64', media_type: 'image/jpeg' };
    expect(image).toMatchObject({ type: 'image', source });
    expectScaled(image!.source!.data);
    expect(situation.map(({ type }) => type)).toEqual(['text']);
  });

  it('files sent with `agent send` reach an OpenAI-compatible model in its format, and a file from the agent is saved', async () => {
    const files = ['--file', 'photo.png', '--file', 'notes.txt', '--wait', '--save-files', 'in'];
    const argv = ['agent', 'send', 'draw this', ...files, '-o', 'json'];
    const { code, stdout, stderr } = await cli.run(argv);
    expect([code, stderr]).toEqual([0, '']);
    const saved = join(cli.folder, 'in', 'drawing.txt');
    const reply = JSON.parse(stdout) as { files: { id: string }[] };
    expect(reply).toMatchObject({
      text: 'Here it is.',
      files: [{ name: 'drawing.txt', mimeType: 'text/plain', size: 3 }],
      saved: [saved],
    });
    expect(await readFile(saved, 'utf8')).toBe('\\o/');
    const { body } = server.requests.find((request) =>
      JSON.stringify(request.body).includes('draw this'),
    )!;
    const [question] = conversationOf(body).filter(({ role }) => role === 'user');
    const [text, image, ...otherParts] = question!.content as {
      readonly text?: string;
      readonly image_url?: { readonly url: string };
    }[];
    expect(text?.text).toMatch(questionWithFiles);
    expect(otherParts).toEqual([]);
    const [, data = ''] = /^data:image\/jpeg;base64,(.*)$/.exec(image?.image_url?.url ?? '') ?? [];
    expectScaled(data);

    const eve = await people.newPerson();
    const receivedFileId = reply.files[0]!.id;
    await expect(download(runtime, eve, receivedFileId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
