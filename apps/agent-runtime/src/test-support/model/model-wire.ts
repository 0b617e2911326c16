import type { ModelProvider } from '../../models/providers/model-provider';
import type { CallLimits } from '../../models/providers/call-clock';
import type { Reply, WireAnswer } from '@daycare/testing';

/** The wire format of a provider, for tests that apply to all providers. */
export interface ModelWire {
  readonly name: string;
  readonly apiKey: string;
  makeProvider(baseUrl: string, limits?: CallLimits): ModelProvider;
  /** The events that stream an answer, in order. */
  events(answer: WireAnswer): string[];
  /** An event that reports, in the middle of an answer, that the provider is overloaded. */
  readonly overloaded: string;
  /** The stop reason when the provider declines to answer. */
  readonly declined: string;
  /** The stop reason when an answer reaches its maximum length. */
  readonly truncated: string;
  /** An error in the provider's format; `text` must never be shown to anyone. */
  error(status: number, text: string, headers?: Readonly<Record<string, string>>): Reply;
}
