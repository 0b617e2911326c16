import { context, propagation, type Context, type TextMapGetter } from '@opentelemetry/api';
import type { Metadata } from '@grpc/grpc-js';

const getter: TextMapGetter<Metadata> = {
  get: (metadata, key) => {
    const [value] = metadata.get(key);
    return value === undefined ? undefined : String(value);
  },
  keys: (metadata) => Object.keys(metadata.getMap()),
};

/** The trace a caller is in, from the metadata of its call. */
export function extractTrace(metadata: Metadata): Context {
  return propagation.extract(context.active(), metadata, getter);
}

/** Puts the trace this process is in onto an outgoing call. */
export function injectTrace(metadata: Metadata): void {
  propagation.inject(context.active(), metadata, {
    set: (carrier, key, value) => carrier.set(key, value),
  });
}
