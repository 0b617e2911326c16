/** What an agent knows about its user. */
export interface UserProfile {
  readonly name: string;
  readonly nametag: string;
  /** The IANA name of the user's time zone; empty if none is set. */
  readonly timeZone: string;
}
