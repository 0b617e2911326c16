import type { createAnthropic } from '@ai-sdk/anthropic';

/** The SDK's type for a model, the same for every provider. The other types derive from it. */
export type SdkModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>;

export type SdkCall = Parameters<SdkModel['doStream']>[0];
export type SdkPrompt = SdkCall['prompt'];
export type SdkMessage = SdkPrompt[number];
export type SdkTool = NonNullable<SdkCall['tools']>[number];
export type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkPart = SdkStream extends AsyncIterable<infer Part> ? Part : never;
export type SdkFinish = Extract<SdkPart, { type: 'finish' }>;
