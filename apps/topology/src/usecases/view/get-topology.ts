import { FieldChecks } from '@daycare/api';
import { firstPage, pageView, type TopologyCursor } from '../../domain/view/page-view';
import { renderTopology } from '../../domain/view/render-topology';
import { isSameScope } from '../../domain/view/scope';
import { decodeCursor, encodeCursor } from '../../domain/view/topology-cursor';
import {
  composeView,
  isComplete,
  type Self,
  type TopologyFormat,
  type TopologyView,
} from '../../domain/view/topology-view';
import {
  collectFacts,
  type CollectedFacts,
  type CollectFactsCall,
  type CollectFactsDeps,
} from './collect-facts';
import { revisionOf } from './view-revision';
import { ComposedView, type BuiltPage, type ViewCache } from './view-cache';

export interface GetTopologyDeps extends CollectFactsDeps {
  readonly viewCache: ViewCache;
  /** Encodes the sections of a page as they are sent. */
  readonly encode: (view: TopologyView) => Uint8Array;
}

export interface GetTopologyCall extends CollectFactsCall {
  readonly pageSize: number;
  readonly pageToken: string;
  /** Undefined requests both text and structure. */
  readonly format: TopologyFormat | undefined;
}

export interface TopologyPage {
  readonly self: Self;
  readonly revision: string;
  /** When the view was last known to be current. */
  readonly composedAt: Date;
  /** Undefined when only the text was requested. */
  readonly view: TopologyView | undefined;
  /** The sections of `view` as they are sent; empty without it. */
  readonly encoded: Uint8Array;
  /** Empty on later pages, and when only the structure was requested. */
  readonly text: string;
  readonly nextPageToken: string;
  /** The time until the view changes merely because time passes; 0 if it will not. */
  readonly changesInMs: number;
}

/**
 * Composes everything the viewer may see, in the requested format. Returns the cached view as long as no
 * source reports a change.
 */
export function makeGetTopology(deps: GetTopologyDeps) {
  return async (call: GetTopologyCall): Promise<TopologyPage> => {
    const { cursor, limit } = check(call);
    const known = deps.viewCache.find(call);
    const facts = await collectFacts(deps, call, cursor, known?.facts);
    const { self, first } = facts;
    const isCurrent = known !== undefined && isSameView(known, facts);
    const composed = isCurrent ? known : compose(deps, facts);
    const page = {
      self,
      revision: composed.revision,
      composedAt: deps.now(),
      text: call.format === 'structure' || call.pageToken !== '' ? '' : textOf(composed, self),
      ...(call.format === 'text' ? noStructure : structureOf(deps, composed, facts, cursor, limit)),
      changesInMs: first.scope?.changesInMs ?? 0,
    };
    if (facts.current === first && isComplete(self, first)) deps.viewCache.set(call, composed);
    return page;
  };
}

function compose(
  { encode }: GetTopologyDeps,
  { self, scope, first }: CollectedFacts,
): ComposedView {
  const view = composeView(self, first, scope);
  const encoded = encode(view);
  return new ComposedView({ scope, first }, view, encoded, revisionOf(encoded, view, first));
}

/** Facts with the same scope and the same digests are the same. */
function isSameView({ facts }: ComposedView, { scope, first }: CollectedFacts): boolean {
  const sources = ['subusers', 'friends', 'scope', 'wiring'] as const;
  return (
    isSameScope(facts.scope, scope) &&
    sources.every((source) => facts.first[source]?.digest === first[source]?.digest)
  );
}

function textOf({ view, texts }: ComposedView, self: Self): string {
  const reader = `${self.nametag ?? ''} ${self.agentId ?? ''}`;
  const text = texts.get(reader) ?? renderTopology({ ...view, self });
  texts.set(reader, text);
  return text;
}

const noStructure = { view: undefined, nextPageToken: '', encoded: new Uint8Array() };

function structureOf(
  deps: GetTopologyDeps,
  composed: ComposedView,
  facts: CollectedFacts,
  cursor: TopologyCursor,
  limit: number,
): BuiltPage {
  const { view, pages } = composed;
  if (cursor !== firstPage) return buildPage(deps, laterView(view, facts), facts, cursor, limit);
  // A view that fits on one page is already encoded.
  const encode = isWithin(view, limit) ? () => composed.encoded : deps.encode;
  const page = pages.get(limit) ?? buildPage({ encode }, view, facts, cursor, limit);
  pages.set(limit, page);
  return page;
}

function isWithin({ self: _self, ...sections }: TopologyView, limit: number): boolean {
  return Object.values(sections).every(({ entries }) => entries.length <= limit);
}

function laterView(view: TopologyView, { self, scope, first, current }: CollectedFacts) {
  return current === first ? view : composeView(self, current, scope);
}

function buildPage(
  { encode }: Pick<GetTopologyDeps, 'encode'>,
  view: TopologyView,
  { current }: CollectedFacts,
  cursor: TopologyCursor,
  limit: number,
): BuiltPage {
  const page = pageView(view, cursor, limit, {
    scope: current.scope?.nextPageToken ?? '',
    friends: current.friends?.nextPageToken ?? '',
    wiring: current.wiring?.nextPageToken ?? '',
  });
  const nextPageToken = page.next ? encodeCursor(page.next) : '';
  return { view: page.view, nextPageToken, encoded: encode(page.view) };
}

function check({ pageSize, pageToken, format }: GetTopologyCall) {
  const checks = new FieldChecks();
  const limit = checks.pageSize(pageSize);
  const cursor = pageToken === '' ? firstPage : decodeCursor(pageToken);
  checks.require(cursor !== undefined, 'page_token', 'is invalid');
  checks.require(
    pageToken === '' || format !== 'text',
    'page_token',
    'must be empty when only the text is requested, because that is a single page',
  );
  checks.done();
  return { cursor: cursor ?? firstPage, limit };
}
