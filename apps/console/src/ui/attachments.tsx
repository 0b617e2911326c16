import type { FileReference } from '@daycare/contracts/agent-runtime';
import { asPageUser } from '../data/windows/page-user';

/** Image types that browsers show without running scripts. Others, including SVG, are only offered as downloads. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const maxPictureBytes = 12 * 1024 * 1024;
const units = ['B', 'KiB', 'MiB'] as const;

/** The files of a message. */
export function Attachments({ files }: { readonly files: readonly FileReference[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="attachments">
      {files.map((file) => (
        <li key={file.id}>
          <Attachment file={file} />
        </li>
      ))}
    </ul>
  );
}

function Attachment({ file }: { readonly file: FileReference }) {
  const href = asPageUser(`/files/${encodeURIComponent(file.id)}`);
  const isPicture = pictures.includes(file.mimeType) && file.size <= maxPictureBytes;
  return (
    <a href={href} download={file.name} class={isPicture ? 'picture' : 'file'}>
      {isPicture && <img src={href} alt={file.name} loading="lazy" decoding="async" />}
      <span class="file-name">{file.name}</span>
      <span class="muted small">{describeSize(file.size)}</span>
    </a>
  );
}

/** Formats a file size, e.g. `12 KiB`. */
export function describeSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1_024 && unit < units.length - 1; unit += 1) size /= 1_024;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit] ?? ''}`;
}
