import { expect, it } from '@jest/globals';
import { describeViolation } from './app-error';

it.each([
  ['name', 'The name is required'],
  ['message_id', 'The message id is required'],
  ['rules[3].tool_name', 'The rules[3] tool name is required'],
  ['format', 'The format is required'],
  ['expires_at', '"expires_at" is required'],
  ['from_day', '"from_day" is required'],
  ['group_by[0]', '"group_by[0]" is required'],
  ['grant.expires_at', '"grant.expires_at" is required'],
])('an error names the field %s so that it reads as a noun', (field, text) => {
  expect(describeViolation({ field, description: 'is required' })).toBe(text);
});
