export { TooLongError } from './domain/too-long-error';
export type {
  LoadedImage,
  ModelAnswer,
  ModelProvider,
  ModelRequest,
  ToolSpec,
} from './providers/model-provider';
export { type ImageRules, imageRulesOf, scaledTo } from './domain/image-rules';
export type { Models } from './build';
export type { ChosenModel, ModelChooser } from './usecases/choose-model';
export { type FailedModel, fallbackNote } from './domain/pick-model';
export { ModelCatalogue } from './catalogue/model-catalogue';
export { nameOf } from './catalogue/model-entry';
