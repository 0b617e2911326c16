import { expect, it } from '@jest/globals';
import { accessTables, isPublic } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { retryableMethods } from '@daycare/contracts/retryable-methods';
import { notRetryable } from './retryable';

it('notRetryable lists exactly the public RPCs that the contracts do not mark as safe to retry, except streams of requests', () => {
  const unsafe = descriptorSet().file.flatMap((file) =>
    file.service.flatMap(({ name, method }) => {
      const service = `${file.package}.${name}`;
      const access = accessTables[service];
      if (!access) return [];
      const safe = new Set(retryableMethods(service));
      return method
        .filter((rpc) => !safe.has(rpc.name) && !rpc.clientStreaming)
        .filter((rpc) =>
          isPublic(access[rpc.name.charAt(0).toLowerCase() + rpc.name.slice(1)] ?? []),
        )
        .map((rpc) => `/${service}/${rpc.name}`);
    }),
  );
  expect([...notRetryable].sort()).toEqual(unsafe.sort());
});
