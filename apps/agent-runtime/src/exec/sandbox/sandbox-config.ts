import type { EnvReader } from '@daycare/service-kit';

/** Whether and how agents may run programs. */
export interface SandboxConfig {
  readonly enabled: boolean;
  /** Whether a program may use the service's network at all; the user's permission is required as well. */
  readonly network: boolean;
  /** How many programs may run concurrently in this process. */
  readonly maxRuns: number;
  /**
   * The id of the system user that programs run as; undefined if none is configured. Required when the service
   * runs as root.
   */
  readonly uid: number | undefined;
  readonly memoryBytes: number;
  readonly processes: number;
}

const mebibyte = 1024 * 1024;

export function readSandboxConfig(env: EnvReader): SandboxConfig {
  const uid = env.integer('DAYCARE_EXEC_UID', {
    default: 0,
    min: 0,
    max: 4_294_967_294,
    about:
      'the id of the system user that programs run as; 0 means none is set; required when the service runs as root',
  });
  return {
    enabled: env.flag('DAYCARE_EXEC_ENABLED', {
      default: false,
      about: 'the tool `exec`, which runs programs in a sandbox; see deploy.md',
    }),
    network: env.flag('DAYCARE_EXEC_NETWORK', {
      default: false,
      about:
        "whether a program may use the service's network; the user's permission is required as well",
    }),
    maxRuns: env.integer('DAYCARE_EXEC_MAX', {
      default: 4,
      min: 1,
      max: 1_000,
      about: 'how many programs each replica runs at a time',
    }),
    uid: uid === 0 ? undefined : uid,
    memoryBytes: env.integer('DAYCARE_EXEC_MEMORY_BYTES', {
      default: 512 * mebibyte,
      min: 16 * mebibyte,
      max: 1024 * 1024 * mebibyte,
      about: 'how much memory a program may use',
    }),
    processes: env.integer('DAYCARE_EXEC_MAX_PROCESSES', {
      default: 64,
      min: 4,
      max: 10_000,
      about: 'how many processes a program may have',
    }),
  };
}
