import type { FieldChecks } from '@daycare/errors';

const mostNameBytes = 255;
const separator = /[/\\]/;
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** A file's own name, never a path: whoever saves it under that name stays in the folder they chose. */
export function checkFileName(checks: FieldChecks, name: string, field = 'name'): FieldChecks {
  const bytes = new TextEncoder().encode(name).length;
  return checks
    .require(bytes > 0, field, 'is required')
    .require(
      bytes <= mostNameBytes,
      field,
      `must be 1 to ${mostNameBytes} bytes in UTF-8, got ${bytes}`,
    )
    .require(!separator.test(name), field, 'must not contain / or \\')
    .require(!control.test(name), field, 'must not contain control characters')
    .require(!/\p{Surrogate}/u.test(name), field, 'must be well-formed Unicode')
    .require(name !== '.' && name !== '..', field, 'must name a file, not a folder');
}
