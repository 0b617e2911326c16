/** Both versions of the reflection protocol; they differ only in their package name. */
export * from './gen/grpc/reflection/v1/reflection';
export { ServerReflectionService as ServerReflectionAlphaService } from './gen/grpc/reflection/v1alpha/reflection';
