import { basename } from 'node:path/posix';
import { z } from 'zod';
import { AppError, FieldChecks, isForeign, lowestTrust, notFound, type Trust } from '@daycare/api';
import { checkFileName, maxAttachedBytes, type Files } from '../../../files';
import { checkFilePath, type UserHomes } from '../../../homes';
import { labelled } from '../../domain/tool-outcome';
import { defineTool, type Tool } from '../../registry/tool';
import { anyAgent, everyone } from '../../registry/tool-access';
import type { ToolLedger } from '../../ports/ledger';
import { saveOnce } from '../../usecases/change-files-once';

export interface AttachmentToolsDeps {
  readonly attachments: Pick<Files, 'attachFile' | 'readAttachment' | 'readFile'>;
  /** Undefined if users have no directories, e.g. because DAYCARE_USERS_DIR is not set. */
  readonly files: { readonly homes: AttachmentHomes } | undefined;
  readonly ledger: ToolLedger;
}

type AttachmentHomes = Pick<UserHomes, 'identify' | 'list' | 'readWithAuthor' | 'remove' | 'write'>;

// Less than a tool result can hold, because JSON escapes some characters.
const maxReadLength = 6_000;
const maxResultCharacters = 7_000;
const maxAttached = 16;

const access = { isVisibleTo: everyone, authorise: anyAgent };
const fileId = z.string().describe('The id of an attached file');

/** The tools for files attached to messages and answers; only `attachment_read` if `files` is undefined. */
export function attachmentTools(deps: AttachmentToolsDeps): Tool[] {
  const { files } = deps;
  if (!files) return [readTool(deps)];
  return [readTool(deps), saveTool(deps, files.homes), attachTool(deps, files.homes)];
}

function readTool({ attachments }: AttachmentToolsDeps): Tool {
  return defineTool({
    name: 'attachment_read',
    description:
      'Reads a file attached to a message: text files and PDFs as text, others in base64. A long file comes in ' +
      'parts: pass nextOffset as offset to continue.',
    schema: {
      fileId,
      offset: z.int().min(0).optional().describe('nextOffset of the previous part; defaults to 0'),
      length: z.int().min(1).optional().describe(`At most ${maxReadLength}, the default`),
    },
    ...access,
    async execute(args, { agent }) {
      const { offset = 0, length = maxReadLength } = args;
      new FieldChecks().id(args.fileId, 'fileId').done();
      const part = await readPart(attachments, agent, {
        fileId: args.fileId,
        offset,
        length: Math.min(length, maxReadLength),
      });
      const { file, encoding, content, nextOffset, writtenBy } = part;
      const more = nextOffset === undefined ? 'to the end' : 'there is more';
      const summary = `${file.name} (${file.mimeType}, ${file.size} bytes) from ${offset}, ${more}`;
      const next = nextOffset === undefined ? {} : { nextOffset };
      return labelled({ summary, encoding, content, ...next }, { provenance: writtenBy });
    },
  });
}

type Read = AttachmentToolsDeps['attachments']['readAttachment'];

/**
 * Reads a part; if its JSON would be truncated, reads it again with fewer characters, so that no text between parts is
 * lost.
 */
async function readPart(
  { readAttachment }: { readonly readAttachment: Read },
  user: Parameters<Read>[0],
  range: Parameters<Read>[1],
): ReturnType<Read> {
  const part = await readAttachment(user, range);
  const characters = JSON.stringify(part.content).length;
  if (characters <= maxResultCharacters || range.length < 2) return part;
  const length = Math.max(1, Math.floor((range.length * maxResultCharacters) / characters / 2));
  return readPart({ readAttachment }, user, { ...range, length });
}

function saveTool({ attachments, ledger }: AttachmentToolsDeps, homes: AttachmentHomes): Tool {
  return defineTool({
    name: 'attachment_save',
    keepsOwnRecord: true,
    description:
      'Copies a file attached to a message into your files, replacing any existing one. Returns its path and ' +
      'size.',
    schema: { fileId, path: z.string().describe('E.g. home/photos/cat.png') },
    ...access,
    async execute(args, call) {
      new FieldChecks().id(args.fileId, 'fileId').done();
      const path = checkFilePath(args.path);
      const { file, content } = await attachments.readFile(call.agent.userId, args.fileId);
      const trust = lowestTrust(call.trust, ...(file.writtenBy ? [file.writtenBy] : []));
      await saveOnce({ homes, ledger }, { ...call, trust }, { path, file, content });
      return { summary: `Saved ${file.name} as ${path}`, path, bytes: content.length };
    },
  });
}

function attachTool({ attachments }: AttachmentToolsDeps, homes: AttachmentHomes): Tool {
  return defineTool({
    name: 'attach_file',
    description:
      'Attaches one of your files to your answer for the user; at most 32 MiB per file and 16 files per answer. ' +
      'Returns the fileId.',
    schema: {
      path: z.string().describe('E.g. home/report.pdf'),
      name: z
        .string()
        .optional()
        .describe('The name shown to the user; defaults to the file’s own'),
    },
    ...access,
    async execute({ path: rawPath, name: givenName }, call) {
      const path = checkFilePath(rawPath);
      const name = givenName ?? basename(path);
      checkFileName(new FieldChecks(), name).done();
      if ((call.attachedFiles ?? 0) >= maxAttached)
        throw new AppError(
          'FAILED_PRECONDITION',
          `An answer can have at most ${maxAttached} files`,
        );
      const source = await homes.readWithAuthor(call.agent.userId, path, maxAttachedBytes);
      if (!source) throw notFound('file');
      const file = await attachments.attachFile({
        userId: call.agent.userId,
        requestId: call.requestId,
        name,
        content: source.content,
        writtenBy: foreignTrustOf(call.trust, source.writtenBy),
        isReferenced: call.turn !== undefined,
      });
      const summary = `${file.name} (${file.size} bytes) is attached to your answer`;
      return labelled({ summary, fileId: file.id, mimeType: file.mimeType }, { files: [file] });
    },
  });
}

/** Returns the lower trust of the turn and the file's author; undefined if the text is the user's own. */
function foreignTrustOf(trust: Trust, writtenBy: Trust | undefined): Trust | undefined {
  const lowest = lowestTrust(trust, ...(writtenBy ? [writtenBy] : []));
  return isForeign(lowest) ? lowest : undefined;
}
