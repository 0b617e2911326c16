import { fromBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorSetSchema,
  type FileDescriptorSet,
  MethodOptions_IdempotencyLevel as Level,
} from '@bufbuild/protobuf/wkt';
import { descriptorSetBase64 } from './gen/descriptor-set';

let decoded: FileDescriptorSet | undefined;

/** Every file in proto/ with its imports, as gRPC reflection serves it. */
export function descriptorSet(): FileDescriptorSet {
  decoded ??= fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSetBase64, 'base64'));
  return decoded;
}

/**
 * The methods of a service that may be retried after a failure: those that its contract marks as free of
 * side effects or idempotent.
 */
export function retryableMethods(serviceName: string): string[] {
  return methodsOf(serviceName)
    .filter(({ options }) => {
      const level = options?.idempotencyLevel;
      return level === Level.NO_SIDE_EFFECTS || level === Level.IDEMPOTENT;
    })
    .map((method) => method.name);
}

function methodsOf(serviceName: string) {
  for (const file of descriptorSet().file) {
    const service = file.service.find(({ name }) => `${file.package}.${name}` === serviceName);
    if (service) return service.method;
  }
  throw new Error(`no service ${serviceName} in proto/`);
}
