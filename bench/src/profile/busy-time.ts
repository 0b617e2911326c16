/** The part of a V8 CPU profile that is used here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node that was running at each sample. */
  readonly samples: readonly number[];
  /** The microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
}

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** Counted from 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Microseconds by package or purpose. */
export type BusyTime = ReadonlyMap<string, number>;

/** Returns the source file for a position in a bundle, or undefined if it is unknown. */
export type FindSource = (frame: CallFrame) => string | undefined;

/** Returns where a process spent its time, by package, leaving out idle time. */
export function busyTimeOf(profile: CpuProfile, findSource: FindSource): BusyTime {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const owners = new Map<number, string>();
  const busy = new Map<string, number>();
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (!frame || frame.functionName === '(idle)') return;
    const owner = owners.get(id) ?? ownerOf(frame, findSource);
    owners.set(id, owner);
    busy.set(owner, (busy.get(owner) ?? 0) + (profile.timeDeltas[index] ?? 0));
  });
  return busy;
}

/** The purposes of some native functions; their time is reported under the purpose. */
const natives: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  writeBuffer: 'writing to sockets',
  writev: 'writing to sockets',
};

function ownerOf(frame: CallFrame, findSource: FindSource): string {
  const { functionName, url } = frame;
  if (url === '') return natives[functionName] ?? 'V8 and its natives';
  if (url.startsWith('node:'))
    return url.includes('http2') ? 'Node: http2' : 'Node: everything else';
  const source = findSource(frame);
  if (source === undefined) return 'unknown';
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? 'Daycare';
}
