import { z } from 'zod';
import type { RunProgram } from '../usecases/run-program';
import { defineTool, type Tool } from './tool';
import { anyAgent, everyone } from './who-may';

const defaultMs = 30_000;
const mostMs = 120_000;
const mostCharacters = 32_768;

/** The tool, or none where programs are not run. */
export function makeExecTools(deps: { readonly runProgram: RunProgram | undefined }): Tool[] {
  return deps.runProgram ? [makeExecTool(deps.runProgram)] : [];
}

function makeExecTool(runProgram: RunProgram): Tool {
  return defineTool({
    name: 'exec',
    description:
      'Runs a shell command in a sandbox with your files: ~ is your home folder, where it starts; ../apps is ' +
      'yours to write too, ../skills to read. Nothing else is kept, and nothing it starts lives on after it.',
    schema: {
      command: z
        .string()
        .min(1)
        .max(mostCharacters)
        .refine((text) => !text.includes('\0'), 'must not contain NUL')
        .describe('For /bin/sh'),
      timeoutMs: z
        .int()
        .min(1)
        .max(mostMs)
        .optional()
        .describe('When it is killed; 30000 unless told, at most 120000'),
      network: z.boolean().optional().describe('Needs the permission network'),
    },
    isVisibleTo: everyone,
    authorise: anyAgent,
    execute: ({ command, timeoutMs = defaultMs, network = false }, context) =>
      runProgram(context, { command, timeoutMs, network }),
  });
}
