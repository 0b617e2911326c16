import { createConnectRouter, type ConnectRouter, type MethodImpl } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { create, type DescMessage, type DescMethod } from '@bufbuild/protobuf';
import { accessTables } from '@daycare/contracts/access';
import { limitsOf } from '@daycare/contracts/method-limits';
import type { CallOutcome } from '@daycare/rpc';
import { compressions } from './compressions';
import { forward } from './forward';
import { publicMethods, registry, serviceOf } from './public-services';
import type { Upstream } from './upstreams';

export interface RouterDeps {
  readonly upstreams: readonly Upstream[];
  readonly observe: (outcome: CallOutcome) => void;
  readonly isServing: () => boolean;
  /** Aborted when the gateway stops, so that open streams end; other calls may finish. */
  readonly stopping: AbortSignal;
}

/** The status values of grpc.health.v1.HealthCheckResponse. */
const servingStatus = { serving: 1, notServing: 2 } as const;
/** A service accepts messages of up to 2 MiB in a stream; as JSON, the same message is larger. */
const maxStreamedBytes = 4 << 20;
/** Base64 adds a third to the size of bytes, and escaping a string's non-ASCII characters at most triples its size. */
const jsonFactor = 3;
/** Space for field names and the like. */
const jsonMargin = 16 << 10;

/**
 * Builds the Connect library's handlers for all public RPCs and the health check, by path. The library decodes and
 * encodes messages.
 */
export function buildRouter({
  upstreams,
  observe,
  isServing,
  stopping,
}: RouterDeps): ReadonlyMap<string, UniversalHandler> {
  const router = createConnectRouter({
    acceptCompression: compressions,
    readMaxBytes: maxStreamedBytes,
    jsonOptions: { registry },
  });
  for (const upstream of upstreams) {
    for (const method of publicMethods(upstream.service))
      router.rpc(method, forward(method, { upstream, observe, stopping }), {
        readMaxBytes: maxRequestBytes(method),
      });
  }
  addHealthCheck(router, isServing);
  return new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
}

/**
 * Returns the paths of RPCs that respond while more messages are arriving. Uploads are not among them, because
 * they get their response after the last message.
 */
export function findRequestStreams(upstreams: readonly Upstream[]): ReadonlySet<string> {
  const methods = upstreams.flatMap(({ service }) => publicMethods(service));
  const bidirectional = methods.filter(({ methodKind }) => methodKind === 'bidi_streaming');
  return new Set(bidirectional.map(({ parent, name }) => `/${parent.typeName}/${name}`));
}

/** Returns the maximum size of an RPC's request message in any format. */
export function maxRequestBytes({ methodKind, parent, name, localName }: DescMethod): number {
  if (methodKind === 'client_streaming' || methodKind === 'bidi_streaming') return maxStreamedBytes;
  const access = accessTables[parent.typeName]?.[localName] ?? [];
  const bytes = limitsOf(`/${parent.typeName}/${name}`, access).maxRequestBytes;
  return bytes * jsonFactor + jsonMargin;
}

/** Lets probes and launchers check the gateway like any other service. */
function addHealthCheck(router: ConnectRouter, isServing: () => boolean): void {
  const { check } = serviceOf('grpc.health.v1.Health').method;
  if (!check) throw new Error('grpc.health.v1.Health has no Check in proto/');
  const status = (): number => (isServing() ? servingStatus.serving : servingStatus.notServing);
  router.rpc(check, (async () =>
    create<DescMessage>(check.output, { status: status() })) as MethodImpl<DescMethod>);
}
