/** Identifies one of a user's agents. */
export type Descriptor = { readonly [kind in DescriptorKind]: DescriptorOf<kind> }[DescriptorKind];

export type DescriptorOf<K extends DescriptorKind> = { readonly kind: K } & DescriptorFields[K];

export type DescriptorKind = keyof DescriptorFields;

interface DescriptorFields {
  /** The agent that talks with a person on a connector's channel. */
  readonly user: {
    readonly connector: string;
    readonly connectorUserId: string;
    readonly channelId: string;
  };
  /** The gateway: the agent that receives messages for a subuser. `id` is the subuser's user id. */
  readonly subuser: { readonly id: string; readonly name: string; readonly systemPrompt: string };
  readonly permanent: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly systemPrompt: string;
  };
  readonly app: {
    readonly id: string;
    readonly parentAgentId: string;
    readonly name: string;
    readonly systemPrompt: string;
  };
  /** A background agent. */
  readonly subagent: { readonly id: string; readonly parentAgentId: string; readonly name: string };
  /** Runs the prompts of one cron. */
  readonly cron: { readonly id: string };
  /** Runs all heartbeats of one user. */
  readonly heartbeat: { readonly userId: string };
}
