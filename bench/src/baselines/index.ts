import { grpcEcho } from './grpc-echo';
import { jetstreamPublish } from './jetstream-publish';
import { mongoInsert } from './mongo-insert';
import type { BaselineName, Probe } from '../kit/workload';

/**
 * The bare limits of this machine. A run measures only those that it needs: before its workloads, and again before and
 * after each cell.
 */
export const baselines: readonly (Probe & { readonly name: BaselineName })[] = [
  grpcEcho,
  mongoInsert,
  jetstreamPublish,
];
