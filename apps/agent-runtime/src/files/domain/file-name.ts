import type { FieldChecks } from '@daycare/api';

const maxNameBytes = 255;
const separator = /[/\\]/;
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Accepts only a file name without a path, so that a file saved under this name is always in the chosen folder. */
export function checkFileName(checks: FieldChecks, name: string, field = 'name'): FieldChecks {
  const bytes = new TextEncoder().encode(name).length;
  return checks
    .require(bytes > 0, field, 'is required')
    .require(
      bytes <= maxNameBytes,
      field,
      `must be 1 to ${maxNameBytes} bytes in UTF-8, got ${bytes}`,
    )
    .require(!separator.test(name), field, 'must not contain / or \\')
    .require(!control.test(name), field, 'must not contain control characters')
    .require(!/\p{Surrogate}/u.test(name), field, 'must be well-formed Unicode')
    .require(name !== '.' && name !== '..', field, 'must name a file, not a folder');
}
