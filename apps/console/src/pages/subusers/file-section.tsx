import { useState } from 'preact/hooks';
import { useResource } from '../../data/resource';
import { callTool } from '../../data/tools';
import { Button } from '../../ui/button';
import { Section } from '../../ui/layout';
import { Loaded } from '../../ui/states';
import { Time } from '../../ui/time/time';
import { readListing, type ListedFile } from './read-listing';

/** The files of the subuser's agents, one folder at a time. */
export function FileSection({ agentId }: { readonly agentId: string }) {
  const [folder, setFolder] = useState('');
  const [file, setFile] = useState('');
  const listing = useResource(
    async (signal) => {
      const toolArguments = folder === '' ? {} : { path: folder };
      const { summary, count } = await callTool<{ summary: string; count: number }>(
        agentId,
        'file_list',
        toolArguments,
        { signal },
      );
      return count === 0 ? [] : readListing(summary, folder);
    },
    [agentId, folder],
  );
  const open = ({ path, isFolder }: ListedFile): void => {
    if (isFolder) setFolder(path.replace(/\/$/, ''));
    setFile(isFolder ? '' : path);
  };
  return (
    <Section
      title="Files"
      actions={folder !== '' && <Button onClick={() => setFolder(parentOf(folder))}>Up</Button>}
    >
      <Loaded resource={listing} lines={2}>
        {(files) => (
          <div class="panel form">
            {files.length === 0 && <p class="muted">The folder is empty.</p>}
            <ul class="files">
              {files.map((each) => (
                <FileLine key={each.path} file={each} onOpen={() => open(each)} />
              ))}
            </ul>
            {file !== '' && <FileText agentId={agentId} path={file} />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function parentOf(folder: string): string {
  return folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
}

function FileLine({
  file: { path, size, changedAt },
  onOpen,
}: {
  readonly file: ListedFile;
  readonly onOpen: () => void;
}) {
  return (
    <li>
      <Button kind="quiet" onClick={onOpen}>
        {path}
      </Button>
      <span class="muted small">
        {size !== undefined && `${size.toLocaleString()} bytes, `}
        {changedAt && <Time at={changedAt} />}
      </span>
    </li>
  );
}

interface FilePart {
  readonly text: string;
  readonly nextOffset?: number;
}

function FileText({ agentId, path }: { readonly agentId: string; readonly path: string }) {
  const part = useResource(
    (signal) => callTool<FilePart>(agentId, 'file_read', { path }, { signal }),
    [agentId, path],
  );
  return (
    <Loaded resource={part} lines={1}>
      {({ text, nextOffset }) => (
        <>
          <pre class="code-block" tabIndex={0} aria-label={path}>
            {text}
          </pre>
          {nextOffset !== undefined && (
            <p class="muted small">
              Only the beginning is shown; run “daycare file read” for the rest.
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
