export type { ContextMessage } from './domain/context-message';
export { renderPersonText, renderSystemMessage } from './domain/render-system-message';
export type { ModelAnswer, ModelProvider, ToolSpec } from './model-provider';
