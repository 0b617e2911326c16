import { createFileRegistry, type DescMethod, type DescService } from '@bufbuild/protobuf';
import { accessTables, isPublic } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';

/** Every message and service of proto/, as embedded in the bundle. */
export const registry = createFileRegistry(descriptorSet());

/** Finds a service by its full name. */
export function serviceOf(typeName: string): DescService {
  const service = registry.getService(typeName);
  if (!service) throw new Error(`no service ${typeName} in proto/`);
  return service;
}

/** Returns the RPCs of a service that the gateway offers: all except those that only services may call. */
export function publicMethods(service: DescService): DescMethod[] {
  const access = accessTables[service.typeName] ?? {};
  return service.methods.filter(({ localName }) => isPublic(access[localName] ?? []));
}
