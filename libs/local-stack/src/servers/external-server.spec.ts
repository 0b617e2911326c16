import { expect, it } from '@jest/globals';
import { hidePassword } from './external-server';

it.each([
  ['mongodb://ada:secret@db:27017/?replicaSet=rs', 'mongodb://ada:***@db:27017/?replicaSet=rs'],
  ['nats://ada:one@h1:4222,nats://bob:two@h2', 'nats://ada:***@h1:4222,nats://bob:***@h2'],
  ['nats://127.0.0.1:4222', 'nats://127.0.0.1:4222'],
])('hidePassword shows %s without passwords', (url, shown) => {
  expect(hidePassword(url)).toBe(shown);
});
