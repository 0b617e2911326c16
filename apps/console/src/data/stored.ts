import { signal, type ReadonlySignal } from '@preact/signals';

/**
 * The prefix of the keys under which the console stores data in this browser. What is stored belongs to the person who
 * is signed in: nothing is read or written before their id is known, and everything is deleted when their session ends.
 */
const prefix = 'daycare.';
let owner = '';
const loads: (() => void)[] = [];

export interface StoredList<T> {
  readonly entries: ReadonlySignal<readonly T[]>;
  /**
   * Replaces all entries. If there is no storage or the person is not known yet, the entries exist only in this page.
   */
  replace(entries: readonly T[]): void;
}

interface ListOptions<T> {
  /** The maximum number of entries; if there are more, the first ones are dropped. */
  readonly max: number;
  /** Merges this page's entries with those that were stored earlier or by another window. */
  readonly merge: (mine: readonly T[], stored: readonly T[]) => readonly T[];
  /** Converts a stored entry when the page is loaded. */
  readonly revive?: (entry: T) => T;
}

/** Creates a list that survives page loads and is shared by all windows of the browser. */
export function createStoredList<T>(
  name: string,
  { max, merge, revive = (entry) => entry }: ListOptions<T>,
): StoredList<T> {
  const entries = signal<readonly T[]>([]);
  const key = (): string => `${prefix}${owner}.${name}`;
  const mergeStored = (stored: readonly T[]): void => {
    entries.value = merge(entries.peek(), stored).slice(-max);
  };
  loads.push(() => mergeStored((read(key()) as readonly T[]).map(revive)));
  addEventListener('storage', (event) => {
    if (owner === '' || event.key !== key()) return;
    // Deleted: in another window, the session has ended or another person has signed in.
    if (event.newValue === null) entries.value = [];
    else mergeStored(read(key()) as readonly T[]);
  });
  const replace = (next: readonly T[]): void => {
    entries.value = next.slice(-max);
    if (owner !== '') write(key(), entries.peek());
  };
  return { entries, replace };
}

/** Reads what is stored for a person, and deletes what is stored for anyone else. */
export function setStoredOwner(userId: string): void {
  if (userId === owner) return;
  owner = userId;
  deleteKeys((key) => !key.startsWith(`${prefix}${userId}.`));
  for (const load of loads) load();
}

/** Deletes everything that the console stores in this browser. Call it when the session ends. */
export function deleteStoredData(): void {
  owner = '';
  deleteKeys(() => true);
}

function read(key: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function write(key: string, entries: readonly unknown[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(entries));
  } catch {
    // The browser has no storage, or it is full.
  }
}

function deleteKeys(shouldDelete: (key: string) => boolean): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '');
    for (const key of keys)
      if (key.startsWith(prefix) && shouldDelete(key)) localStorage.removeItem(key);
  } catch {
    // The browser has no storage.
  }
}
