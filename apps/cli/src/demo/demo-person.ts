import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { ToolAnswer } from './judge-step';
import { Listener } from './listener';

const channel = 'demo';

/** Somebody who does everything by telling their agent. */
export class DemoPerson {
  private constructor(
    readonly session: Session,
    readonly nametag: string,
    readonly agentId: string,
    readonly listener: Listener,
    readonly timeoutMs: number,
  ) {}

  /** Says hello, which makes the agent. It must be the local model that runs it: others cost money. */
  static async begin(
    session: Session,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<DemoPerson> {
    const { agentId } = await say(session, 'Hello');
    const selector = { $case: 'agentId', value: agentId } as const;
    const { agent } = await session.runtime.getAgent({ selector });
    if (agent && agent.provider !== 'local') throw notLocal(agent.provider);
    const nametag = session.context.context.user?.nametag ?? '';
    const listener = new Listener(session, agentId, signal);
    // What is said while it waits would be heard together with the hello.
    const answer = await listener.find(
      0,
      (record) => record?.$case === 'assistantMessage' || undefined,
      timeoutMs,
    );
    if (!answer) throw noAnswer('answer');
    return new DemoPerson(session, nametag, agentId, listener, timeoutMs);
  }

  /** Has the agent run a tool and gives its answer. */
  async run(tool: string, args: object): Promise<ToolAnswer> {
    const { messageId } = await say(this.session, `/${tool} ${JSON.stringify(args)}`);
    let isAtWork = false;
    const result = await this.listener.find(
      0,
      (record) => {
        if (record?.$case === 'userMessage') isAtWork = record.value.messageIds.includes(messageId);
        const isIt = isAtWork && record?.$case === 'toolResult' && record.value.toolName === tool;
        return isIt ? record.value.resultJson : undefined;
      },
      this.timeoutMs,
    );
    if (result === undefined) throw noAnswer(`run ${tool}`);
    return JSON.parse(result) as ToolAnswer;
  }

  /** All this person has, as text. */
  async topology(): Promise<string> {
    const request = { pageSize: 0, pageToken: '', includeDead: false };
    return (await this.session.topology.getTopology(request)).text;
  }
}

function say({ runtime, requestIds }: Session, text: string) {
  return runtime.postMessage({
    requestId: requestIds.next(),
    connector: 'cli',
    channelId: channel,
    connectorUserId: 'me',
    text,
    fileIds: [],
    replyTarget: '',
  });
}

function noAnswer(what: string): Failure {
  const hint = 'Is everything well? "daycare doctor" looks.';
  return new Failure(exitCodes.unavailable, `The agent did not ${what} in time.`, hint);
}

function notLocal(provider: string): Failure {
  return new Failure(
    exitCodes.conflict,
    `Agents of this stack are run by ${provider}; the demo is played by the local model.`,
    'Start the stack without DAYCARE_MODEL.',
  );
}
