import { AgentSessions, type AgentSessionsDeps } from './sessions/agent-sessions';
import { makeAnnounceEntry, type AnnounceDeps } from './sessions/announce-entry';
import { AgentRuns, type AgentRunsDeps } from './loop/agent-runs';
import { AgentScheduler, type SchedulerDeps } from './loop/agent-scheduler';
import { makeRunAgent, type RunAgentDeps } from './loop/run-agent';
import { makeTakeTurn, type TakeTurnDeps } from './loop/take-turn';

/** What the parts of the loop need, except for each other. */
export type LoopDeps = AnnounceDeps &
  Omit<AgentSessionsDeps, 'onStored'> &
  TakeTurnDeps &
  Omit<RunAgentDeps, 'takeTurn'> &
  Omit<AgentRunsDeps, 'sessions' | 'runAgent'> &
  Omit<SchedulerDeps, 'runs'>;

/** Builds the scheduler that runs the agents of this replica's shards. */
export function buildLoop(deps: LoopDeps): AgentScheduler {
  const { agents, history, inbox, feed, models, meter, limits, holder, log, now } = deps;
  const { hintUser, observeEntry } = deps;
  const onStored = makeAnnounceEntry({ agents, feed, meter, hintUser, observeEntry, log });
  const sessions = new AgentSessions({ agents, history, holder, onStored, now });
  const takeTurn = makeTakeTurn({
    inbox,
    agents,
    models,
    meter,
    tools: deps.tools,
    toolRetryMs: deps.toolRetryMs,
    promptFor: deps.promptFor,
    situationFor: deps.situationFor,
    loadImages: deps.loadImages,
    imageSlots: deps.imageSlots,
    feed,
    limits,
    log,
    now,
  });
  const runAgent = makeRunAgent({
    inbox,
    agents,
    models,
    limits,
    guestTurns: deps.guestTurns,
    takeTurn,
    settle: deps.settle,
    log,
    now,
  });
  const { maxTurns, maxTurnsPerUser, pollMs, stopTimeoutMs, drainTimeoutMs } = deps;
  const runs = new AgentRuns({ sessions, runAgent, maxTurns, maxTurnsPerUser, log, now });
  return new AgentScheduler({
    runs,
    history,
    inbox,
    feed,
    pollMs,
    stopTimeoutMs,
    drainTimeoutMs,
    holder,
    log,
    now,
  });
}
