import { z } from 'zod';
import type { RunProgram } from '../../exec';
import { labelled } from '../domain/tool-outcome';
import { defineTool, type Tool } from '../registry/tool';
import { anyAgent, everyone } from '../registry/tool-access';

export interface ExecToolsDeps {
  /** Undefined if programs are disabled or cannot run safely on this machine. */
  readonly runProgram: RunProgram | undefined;
}

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 120_000;
const maxCharacters = 32_768;

/** Returns the exec tool; no tool if `runProgram` is undefined. */
export function execTools({ runProgram }: ExecToolsDeps): Tool[] {
  return runProgram ? [execTool(runProgram)] : [];
}

function execTool(runProgram: RunProgram): Tool {
  return defineTool({
    name: 'exec',
    keepsOwnRecord: true,
    description:
      'Runs a shell command in a sandbox with your files. It starts in your home folder (~); ../apps is also ' +
      'writable, ../skills is read-only. Files elsewhere are discarded, and background processes end with the ' +
      'command. Returns the exit code, stdout and stderr.',
    schema: {
      command: z
        .string()
        .min(1)
        .max(maxCharacters)
        .refine((text) => !text.includes('\0'), 'must not contain NUL')
        .describe('A command for /bin/sh, e.g. wc -l notes.txt'),
      timeoutMs: z
        .int()
        .min(1)
        .max(maxTimeoutMs)
        .optional()
        .describe(
          `Milliseconds until the command is killed; defaults to ${defaultTimeoutMs}, at most ${maxTimeoutMs}`,
        ),
      network: z
        .boolean()
        .optional()
        .describe('True for network access, which requires the permission "network"'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    async execute({ command, timeoutMs = defaultTimeoutMs, network = false }, context) {
      const { report, writtenBy } = await runProgram(context, { command, timeoutMs, network });
      return labelled(report, { provenance: writtenBy });
    },
  });
}
