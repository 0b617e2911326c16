import { expect, it } from '@jest/globals';
import { accessTables, isPublic } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { retryableMethods } from '@daycare/contracts/retryable-methods';
import { notRetryable } from './retryable';

it('the calls that are not retryable are the public ones that the contracts do not mark as safe to retry', () => {
  const unsafe = descriptorSet().file.flatMap((file) =>
    file.service.flatMap(({ name, method }) => {
      const service = `${file.package}.${name}`;
      const access = accessTables[service];
      if (!access) return [];
      const safe = new Set(retryableMethods(service));
      return method
        .filter((each) => !safe.has(each.name) && !each.clientStreaming)
        .filter((each) =>
          isPublic(access[each.name.charAt(0).toLowerCase() + each.name.slice(1)] ?? []),
        )
        .map((each) => `/${service}/${each.name}`);
    }),
  );
  expect([...notRetryable].sort()).toEqual(unsafe.sort());
});
