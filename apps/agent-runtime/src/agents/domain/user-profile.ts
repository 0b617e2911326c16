/** What an agent knows about its user. */
export interface UserProfile {
  readonly name: string;
  readonly nametag: string;
  /** An IANA name; empty for none. */
  readonly timeZone: string;
}
