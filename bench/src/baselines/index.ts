import { grpcEcho } from './grpc-echo';
import { jetstreamPublish } from './jetstream-publish';
import { mongoInsert } from './mongo-insert';
import type { BaselineName, Probe } from '../kit/workload';

/** The bare limits of this machine, measured first in every run. */
export const baselines: readonly (Probe & { readonly name: BaselineName })[] = [
  grpcEcho,
  mongoInsert,
  jetstreamPublish,
];
