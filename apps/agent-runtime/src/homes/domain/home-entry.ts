/** An entry in one of a user's folders. */
export interface HomeEntry {
  readonly name: string;
  /** A link is a `link`, whatever its target is; pipes, sockets and devices are `other`. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** In bytes; 0 for everything but files. */
  readonly size: number;
  readonly modifiedAt: Date;
}
