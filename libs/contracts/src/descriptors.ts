import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, type FileDescriptorSet } from '@bufbuild/protobuf/wkt';
import { descriptorSetBase64 } from './gen/descriptor-set';

let decoded: FileDescriptorSet | undefined;

/** Every file in proto/ with its imports, as gRPC reflection serves them. */
export function descriptorSet(): FileDescriptorSet {
  decoded ??= fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSetBase64, 'base64'));
  return decoded;
}
