import type { ProcessExit } from '../process/managed-process';
import type { ServerKind } from '../servers/find-server';
import type { MongoPart } from '../servers/mongo/start-mongo-cluster';
import type { AppName } from '../services/service-catalog';

/**
 * The name of a server or of a service's process. Where there are several, they are numbered, except the first process
 * of a service.
 */
export type PartName = ServerKind | MongoPart | `nats-${number}` | AppName | `${AppName}-${number}`;

/** What a stack reports to its owner while it starts, runs and stops. */
export type StackEvent =
  /** On the first run in a data folder. Contains no secret, because events may be logged. */
  | { readonly type: 'credentials-created' }
  | { readonly type: 'starting'; readonly part: PartName }
  | {
      readonly type: 'ready';
      readonly part: PartName;
      readonly tookMs: number;
      /** The server's version; services have none. */
      readonly version?: string;
      /** Whether the server was already running and will not be stopped. */
      readonly external?: boolean;
    }
  | {
      readonly type: 'exited';
      readonly part: PartName;
      readonly exit: ProcessExit;
      readonly lastLines: readonly string[];
      readonly restartInMs: number;
    }
  | {
      readonly type: 'restart-failed';
      readonly part: PartName;
      readonly error: unknown;
      readonly retryInMs: number;
    }
  | { readonly type: 'restarted'; readonly part: PartName; readonly tookMs: number }
  | { readonly type: 'line'; readonly part: PartName; readonly line: string }
  | { readonly type: 'stopped'; readonly part: PartName };

export type StackListener = (event: StackEvent) => void;

/** Returns what kind of process a part is. */
export function kindOf(part: PartName): ServerKind | 'service' {
  const [first] = part.split('-');
  return first === 'mongo' || first === 'nats' ? first : 'service';
}
