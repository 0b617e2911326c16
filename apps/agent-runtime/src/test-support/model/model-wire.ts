import type { ModelProvider } from '../../models/model-provider';
import type { CallLimits } from '../../models/providers/call-clock';
import type { Reply, WireAnswer } from '@daycare/testing';

/** The wire format of a provider, for tests that apply to all providers. */
export interface ModelWire {
  readonly name: string;
  readonly apiKey: string;
  makeProvider(baseUrl: string, limits?: CallLimits): ModelProvider;
  /** The events of an answer, one by one. */
  events(answer: WireAnswer): string[];
  /** An event that reports, in the middle of an answer, that the provider is overloaded. */
  readonly overloaded: string;
  /** The stop reason of an answer that the provider refused to give. */
  readonly declined: string;
  /** The stop reason of an answer that reached its maximum length. */
  readonly cutOff: string;
  /** An error in the provider's format; its text must never be shown. */
  error(status: number, text: string, headers?: Readonly<Record<string, string>>): Reply;
}
