import { expect, test } from 'vitest';
import { isForbiddenAddress } from './forbidden-addresses.ts';

test.each([
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '0.0.0.0', '255.255.255.255', '224.0.0.1'],
  ...['[fe80::1]', '[fd00:ec2::254]', '[::]', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'ff02::1'],
])('%s is forbidden', (address) => {
  expect(isForbiddenAddress(address)).toBe(true);
});

test.each([
  ...['127.0.0.1', '10.0.0.8', '192.168.1.2', '172.16.0.1', '203.0.113.9', '100.100.100.201'],
  ...['[::1]', '[fd00::1]', '[2001:db8::1]', 'hooks.example', 'metadata'],
])('%s is not', (address) => {
  expect(isForbiddenAddress(address)).toBe(false);
});
