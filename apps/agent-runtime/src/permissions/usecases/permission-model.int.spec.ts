import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import fc from 'fast-check';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { startPermissionStage } from '../../test-support/permission-stage';
import { permissionTtlMs, resetNow } from '../../test-support/test-permissions';
import type { PermissionDecision, PermissionState } from '../domain/permission';
import { grantIdOf } from './confirm-approval';

const stage = useFixture(startPermissionStage);

type Step =
  /** One of the user's two agents requests approval of a call. */
  | { readonly kind: 'ask'; readonly agent: number; readonly call: number }
  /** A person decides; if the process dies, the consequences are left to the sweep. */
  | {
      readonly kind: 'decide';
      readonly which: number;
      readonly decision: PermissionDecision;
      readonly dies: boolean;
    }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'reset'; readonly agent: number }
  | { readonly kind: 'stop'; readonly agent: number; readonly turn: number }
  | { readonly kind: 'revoke'; readonly which: number };

const agent = fc.nat({ max: 1 });
const which = fc.nat({ max: 11 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('ask'), agent, call: fc.nat({ max: 7 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide'),
      which,
      decision: fc.constantFrom('grant', 'always', 'deny'),
      dies: fc.boolean(),
    }),
  },
  fc.constant({ kind: 'sweep' }),
  fc.constant({ kind: 'expire' }),
  fc.record({ kind: fc.constant('reset'), agent }),
  fc.record({ kind: fc.constant('stop'), agent, turn: fc.nat({ max: 1 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke'), which }) },
);

interface ExpectedRequest {
  readonly id: string;
  readonly agent: number;
  readonly call: number;
  readonly context: number;
  readonly expiresAtMs: number;
  state: PermissionState;
  decision?: PermissionDecision;
  /** Whether the consequences of the decision have been carried out. */
  isDone: boolean;
  isRevoked: boolean;
}

/** Calls with even numbers use one tool in one turn; those with odd numbers use another tool in another turn. */
const toolOf = (call: number): string => ['file_write', 'exec'][call % 2]!;
/** The limit for guests' turns. */
const maxPendingPerAgent = 3;
const friend = {
  source: 'friend',
  origin: 'friend:otter7',
  senderUserId: 'otter',
  byPerson: false,
} as const;

/** The model of the expected behaviour: one user with two agents. */
class Household {
  #agents: Agent[] = [];
  readonly #requests: ExpectedRequest[] = [];
  readonly #contexts = [0, 0];
  readonly #delivered: Set<string>[] = [new Set(), new Set()];

  async open(): Promise<void> {
    stage.permissions.clock.aheadMs = 0;
    const { foregroundAgent, requester } = await stage.newAgents();
    this.#agents = [foregroundAgent, requester];
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'ask':
        return this.#ask(step.agent, step.call);
      case 'decide':
        return this.#decide(step);
      case 'sweep':
        return this.#sweep();
      case 'expire':
        stage.permissions.clock.aheadMs += permissionTtlMs;
        return;
      case 'reset':
        this.#contexts[step.agent]! += 1;
        return resetNow(stage.runtime, this.#agents[step.agent]!);
      case 'stop':
        return this.#stop(step.agent, step.turn);
      case 'revoke':
        return this.#revoke(step.which);
    }
  }

  async #ask(agentIndex: number, call: number): Promise<void> {
    const pending = this.#requests.filter(
      (each) => each.agent === agentIndex && this.#isPending(each),
    );
    const same = pending.find((each) => each.call === call);
    const isGranted = this.#standingGrants(agentIndex).some(
      (each) => toolOf(each.call) === toolOf(call),
    );
    const asked = stage.permissions.requestApproval({
      agent: this.#agents[agentIndex]!,
      requestId: createId(),
      toolName: toolOf(call),
      argumentsJson: JSON.stringify({ call }),
      trust: 'guest',
      readPrivate: false,
      startedBy: friend,
      hops: 0,
      turn: call % 2,
    });
    if (isGranted) return expect(asked).resolves.toEqual({ kind: 'granted' });
    if (!same && pending.length === maxPendingPerAgent)
      return expect(asked).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    const answer = await asked;
    if (answer.kind !== 'waiting')
      throw new Error('the call was granted instead of waiting for approval');
    if (same) return expect(answer.permissionRequestId).toBe(same.id);
    expect(this.#requests.map(({ id }) => id)).not.toContain(answer.permissionRequestId);
    this.#requests.push({
      id: answer.permissionRequestId,
      agent: agentIndex,
      call,
      context: this.#contexts[agentIndex]!,
      expiresAtMs: stage.permissions.clock.aheadMs + permissionTtlMs,
      state: 'pending',
      isDone: false,
      isRevoked: false,
    });
  }

  async #decide({ which: at, decision, dies }: Extract<Step, { kind: 'decide' }>): Promise<void> {
    const request = this.#requests[at % Math.max(1, this.#requests.length)];
    if (!request) return;
    const isOpen = this.#isPending(request);
    const isRemembered = request.context === this.#contexts[request.agent];
    if (isOpen && isRemembered) {
      request.state = decision === 'deny' ? 'denied' : 'granted';
      request.decision = decision;
    } else if (isOpen) request.state = 'expired';
    const { userId } = this.#agents[0]!;
    if (dies && isOpen && isRemembered) return this.#decideAndDie(request, decision);
    const decided = await stage.permissions.decide({
      userId,
      requestId: createId(),
      permissionRequestId: request.id,
      decision,
    });
    expect(decided.state).toBe(this.#stateOf(request));
    this.#carryOut(request);
  }

  async #decideAndDie(request: ExpectedRequest, decision: PermissionDecision): Promise<void> {
    const now = stage.permissions.now();
    const { permissions } = stage.permissions;
    const stored = (await permissions.find(this.#agents[0]!.userId, request.id, now))!;
    const state = decision === 'deny' ? 'denied' : 'granted';
    const facts = { state, decision, grantUntil: undefined, decisionTo: [] } as const;
    expect(await permissions.decide(stored, facts, now)).toBeDefined();
  }

  async #sweep(): Promise<void> {
    stage.permissions.clock.aheadMs += 6_000;
    await stage.permissions.finish();
    this.#requests.forEach((each) => this.#carryOut(each));
  }

  /** The decision reaches an agent that still knows what it asked for; otherwise the decision has no effect. */
  #carryOut(request: ExpectedRequest): void {
    if (request.decision === undefined || request.isDone) return;
    request.isDone = true;
    if (request.context !== this.#contexts[request.agent]) request.isRevoked = true;
    else this.#delivered[request.agent]!.add(request.id);
  }

  async #stop(agentIndex: number, turn: number): Promise<void> {
    await stage.permissions.expireTurnRequests(this.#agents[agentIndex]!, turn);
    for (const each of this.#requests)
      if (each.agent === agentIndex && each.call % 2 === turn && this.#isPending(each))
        each.state = 'expired';
  }

  async #revoke(at: number): Promise<void> {
    const request = this.#requests[at % Math.max(1, this.#requests.length)];
    if (!request) return;
    const { userId } = this.#agents[0]!;
    const call = { userId, requestId: createId(), grantId: grantIdOf(request.id) };
    const revoking = stage.permissions.revokeGrant(call);
    const hasGrant =
      request.decision === 'always' && this.#delivered[request.agent]!.has(request.id);
    if (!hasGrant) return expect(revoking).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await revoking;
    if (request.isRevoked) return;
    for (const each of this.#standingGrants(request.agent))
      if (toolOf(each.call) === toolOf(request.call)) each.isRevoked = true;
  }

  #isPending(request: ExpectedRequest): boolean {
    return this.#stateOf(request) === 'pending';
  }

  #stateOf({ state, expiresAtMs }: ExpectedRequest): PermissionState {
    const isOver = state === 'pending' && stage.permissions.clock.aheadMs >= expiresAtMs;
    return isOver ? 'expired' : state;
  }

  #standingGrants(agentIndex: number): ExpectedRequest[] {
    return this.#requests.filter(
      (each) =>
        each.agent === agentIndex && each.decision === 'always' && each.isDone && !each.isRevoked,
    );
  }

  /** Checks that the stored state matches the model and that each decision was delivered once. */
  async check(): Promise<void> {
    await this.#sweep();
    const { userId } = this.#agents[0]!;
    const all = { userId, agentId: '', pageSize: 1_000, pageToken: '' };
    const { requests } = await stage.permissions.list({ ...all, states: [] });
    expect(new Map(requests.map(({ id, state }) => [id, state]))).toEqual(
      new Map(this.#requests.map((each) => [each.id, this.#stateOf(each)])),
    );
    const { grants } = await stage.permissions.listGrants(all);
    const standing = [0, 1].flatMap((agentIndex) =>
      this.#standingGrants(agentIndex).map(({ id }) => grantIdOf(id)),
    );
    expect(grants.map(({ id }) => id).sort()).toEqual(standing.sort());
    for (const [at, each] of this.#agents.entries()) {
      const items = await stage.receivedBy(each);
      const decided = items.flatMap((item) =>
        item.kind === 'permission_decision' ? [item.permissionRequestId] : [],
      );
      expect(decided.sort()).toEqual([...this.#delivered[at]!].sort());
    }
  }
}

it('requests and grants follow the rules through any sequence of requests, decisions, revocations, resets, stops and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const household = new Household();
      await household.open();
      for (const each of steps) await household.take(each);
      await household.check();
    }),
    { numRuns: 40 },
  );
  stage.permissions.clock.aheadMs = 0;
});
