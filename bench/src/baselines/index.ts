import { grpcEcho } from './grpc-echo';
import { jetstreamPublish } from './jetstream-publish';
import { mongoInsert } from './mongo-insert';
import type { BaselineName, Probe } from '../kit/workload';

/**
 * The bare limits of this machine. A run measures only those that it needs: before its workloads, and again right before
 * and right after each cell of a workload that is compared with them.
 */
export const baselines: readonly (Probe & { readonly name: BaselineName })[] = [
  grpcEcho,
  mongoInsert,
  jetstreamPublish,
];
