import { expect, it } from '@jest/globals';
import { accessTables, isPublic } from '@daycare/contracts/access';
import { descriptorSet } from '@daycare/contracts/descriptors';
import { retryableMethods } from '@daycare/contracts/retryable-methods';
import { notRepeatable } from './repeatable';

it('treats exactly those calls as repeatable that the contracts mark as safe', () => {
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
  expect([...notRepeatable].sort()).toEqual(unsafe.sort());
});
