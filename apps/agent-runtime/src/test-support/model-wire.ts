import type { ModelProvider } from '../runtime/model-provider';
import type { CallLimits } from '../runtime/providers/call-clock';
import type { Reply } from './model-server';

export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The arguments in the pieces they come in. */
  readonly fragments: readonly string[];
}

/** What a model answers, in the pieces it comes in. */
export interface WireAnswer {
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached: number };
  readonly stop?: string;
}

/** One of the wire formats, for tests that hold for all of them. */
export interface ModelWire {
  readonly name: string;
  readonly apiKey: string;
  makeProvider(baseUrl: string, limits?: CallLimits): ModelProvider;
  /** The events of an answer, one by one. */
  events(answer: WireAnswer): string[];
  /** An event that says in the middle of an answer that the provider has too much to do. */
  readonly overloaded: string;
  /** Why an answer ended that the provider did not want to give. */
  readonly declined: string;
  /** An error as the provider words it; the text is what nobody may see. */
  error(status: number, text: string, headers?: Readonly<Record<string, string>>): Reply;
}

export const defaultUsage = { input: 10, output: 5, cached: 0 };
