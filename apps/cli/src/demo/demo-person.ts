import { loadTopologyText } from '../client/load-topology';
import type { Session } from '../client/session';
import { exitCodes } from '../failure/exit-codes';
import { Failure } from '../failure/failure';
import type { ToolResult } from './check-step';
import { Listener } from './listener';

const channel = 'demo';

/** A demo user who does everything through their agent. */
export class DemoPerson {
  private constructor(
    readonly session: Session,
    readonly nametag: string,
    readonly agentId: string,
    readonly listener: Listener,
    readonly timeoutMs: number,
  ) {}

  /** Creates the agent by sending a first message. Requires the local model, because other models cost money. */
  static async begin(
    session: Session,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<DemoPerson> {
    const { agentId } = await post(session, 'Hello');
    const selector = { $case: 'agentId', value: agentId } as const;
    const { agent } = await session.runtime.getAgent({ selector });
    if (agent && agent.provider !== 'local') throw notLocal(agent.provider);
    const nametag = session.context.context.user?.nametag ?? '';
    const listener = new Listener(session, agentId, signal);
    // A message sent before the first reply would be handled in the same turn as the hello.
    const reply = await listener.find(
      0,
      (record) => record?.$case === 'assistantMessage' || undefined,
      timeoutMs,
    );
    if (!reply) throw timedOut('reply');
    return new DemoPerson(session, nametag, agentId, listener, timeoutMs);
  }

  /** Has the agent run a tool; returns the tool's result. */
  async run(tool: string, args: object): Promise<ToolResult> {
    const { messageId } = await post(this.session, `/${tool} ${JSON.stringify(args)}`);
    let isThisTurn = false;
    const result = await this.listener.find(
      0,
      (record) => {
        if (record?.$case === 'userMessage')
          isThisTurn = record.value.messageIds.includes(messageId);
        const isMatch =
          isThisTurn && record?.$case === 'toolResult' && record.value.toolName === tool;
        return isMatch ? record.value.resultJson : undefined;
      },
      this.timeoutMs,
    );
    if (result === undefined) throw timedOut(`run ${tool}`);
    return JSON.parse(result) as ToolResult;
  }

  /** Loads the user's topology as text. */
  async topology(): Promise<string> {
    return loadTopologyText(this.session.topology, false);
  }
}

function post({ runtime, requestIds }: Session, text: string) {
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

function timedOut(what: string): Failure {
  const hint = 'Run "daycare doctor" to look for problems.';
  return new Failure(exitCodes.unavailable, `The agent did not ${what} in time.`, hint);
}

function notLocal(provider: string): Failure {
  return new Failure(
    exitCodes.conflict,
    `The agents of this stack use ${provider}, but the demo needs the local model.`,
    'Start the stack without DAYCARE_MODEL.',
  );
}
