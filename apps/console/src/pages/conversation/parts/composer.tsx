import { signal, useComputed } from '@preact/signals';
import type { FileReference } from '@daycare/contracts/agent-runtime';
import { useMemo, useRef } from 'preact/hooks';
import { useAction } from '../../../data/action';
import { daycare } from '../../../data/client';
import { describeSize } from '../../../ui/attachments';
import { Button } from '../../../ui/button';

export interface ComposedMessage {
  readonly text: string;
  readonly files: readonly FileReference[];
  readonly isSteering: boolean;
}

export interface ComposerProps {
  /** Whether files can be attached. */
  readonly takesFiles: boolean;
  readonly isWorking: boolean;
  /** Whether a message can wait for the current turn to end; if false, a message always interrupts. */
  readonly canWait: boolean;
  /** Returns whether the message was accepted; the composer is cleared only if it was. */
  readonly onSend: (written: ComposedMessage) => boolean | Promise<boolean>;
  readonly onStop: () => void;
  readonly placeholder: string;
}

const maxFiles = 16;
const maxText = 32_768;

const tooManyFiles = (excess: number): string =>
  `A message can have at most ${maxFiles} files; ${excess} ${excess === 1 ? 'was' : 'were'} not attached.`;

/** The form for writing messages. Enter sends; Shift+Enter starts a new line. */
export function Composer(props: ComposerProps) {
  const { takesFiles, isWorking, canWait, onSend, onStop, placeholder } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  const { files, hasText, isSending } = useMemo(createDraft, []);
  const upload = useAction(async (_requestId, chosen: readonly File[]) => {
    const space = maxFiles - files.peek().length;
    for (const file of chosen.slice(0, space)) {
      const stored = await daycare.files.upload(file, { name: file.name || 'pasted' });
      files.value = [...files.peek(), stored];
    }
    return chosen.length > space ? tooManyFiles(chosen.length - space) : undefined;
  });
  const canSend = hasText.value || files.value.length > 0;
  const send = async (isSteering: boolean): Promise<void> => {
    const text = box.current?.value.trim() ?? '';
    const isEmpty = text === '' && files.peek().length === 0;
    if (isEmpty || upload.isBusy.peek() || isSending.peek()) return;
    isSending.value = true;
    const isAccepted = await onSend({ text, files: files.peek(), isSteering });
    isSending.value = false;
    if (!isAccepted || !box.current) return;
    files.value = [];
    hasText.value = false;
    box.current.value = '';
    box.current.focus();
  };
  const isBusy = useComputed(() => upload.isBusy.value || isSending.value);
  const attach = (list: FileList | null | undefined): void => {
    if (takesFiles && list && list.length > 0) void upload.run([...list]);
  };
  return (
    <form
      class="composer"
      aria-label="Write"
      onSubmit={(event) => {
        event.preventDefault();
        void send(!canWait);
      }}
      onDragOver={(event) => takesFiles && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attach(event.dataTransfer?.files);
      }}
    >
      <AttachedFiles files={files.value} onRemove={(id) => remove(files, id)} />
      <textarea
        ref={box}
        rows={1}
        maxLength={maxText}
        readOnly={isSending.value}
        aria-label="Message"
        placeholder={placeholder}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send(!canWait);
        }}
        onInput={(event) => (hasText.value = event.currentTarget.value.trim() !== '')}
        onPaste={(event) => attach(event.clipboardData?.files)}
      />
      <div class="composer-actions">
        {takesFiles && <AttachButton onFiles={attach} isBusy={upload.isBusy.value} />}
        <span class="composer-hint muted small">Enter sends</span>
        {isWorking && (
          <Button kind="danger" onClick={onStop}>
            Stop
          </Button>
        )}
        {isWorking && canWait && (
          <Button
            disabled={!canSend}
            onClick={() => void send(true)}
            title="Stops what the agent is doing and sends this"
          >
            Interrupt
          </Button>
        )}
        <Button kind="primary" type="submit" busy={isBusy}>
          {canWait ? 'Send' : 'Steer'}
        </Button>
      </div>
    </form>
  );
}

/** Creates the state of a message that has not been sent yet. */
function createDraft() {
  return {
    files: signal<readonly FileReference[]>([]),
    hasText: signal(false),
    isSending: signal(false),
  };
}

function remove(files: { value: readonly FileReference[] }, id: string): void {
  files.value = files.value.filter((file) => file.id !== id);
}

function AttachButton({
  onFiles,
  isBusy,
}: {
  readonly onFiles: (files: FileList | null) => void;
  readonly isBusy: boolean;
}) {
  return (
    <label class="button button-quiet attach">
      <input
        type="file"
        multiple
        class="hidden"
        onChange={(event) => {
          onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      {isBusy ? 'Uploading…' : 'Attach'}
    </label>
  );
}

function AttachedFiles({
  files,
  onRemove,
}: {
  readonly files: readonly FileReference[];
  readonly onRemove: (id: string) => void;
}) {
  if (files.length === 0) return null;
  return (
    <ul class="chosen" aria-label="Attached files">
      {files.map(({ id, name, size }) => (
        <li key={id}>
          <span class="file-name">{name}</span>{' '}
          <span class="muted small">{describeSize(size)}</span>
          <Button kind="quiet" aria-label={`Remove ${name}`} onClick={() => onRemove(id)}>
            ✕
          </Button>
        </li>
      ))}
    </ul>
  );
}
