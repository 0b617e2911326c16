/** The two published versions of the protocol differ in their package name only. */
export * from './gen/grpc/reflection/v1/reflection';
export { ServerReflectionService as ServerReflectionAlphaService } from './gen/grpc/reflection/v1alpha/reflection';
