import { describe, expect, it } from 'vitest'
import { isReadable, storagePrefix } from './google-storage-addresses.ts'

describe('the addresses that requests can read', () => {
  it.each([
    ['gs://acme-manuals/a.pdf', true],
    ['gs://acme-manuals/deep/er/a.pdf', true],
    ['gs://acme-manuals-private/a.pdf', false],
    ['gs://other/acme-manuals/a.pdf', false],
    ['gs://acme/public/a.pdf', true],
    ['gs://acme/private/a.pdf', false],
    ['gs://acme/public', false],
    ['gs://cloud-samples-data/generative-ai/image/a.jpeg', true],
    ['gs://generativeai-downloads/images/scones.jpg', true],
    ['gs://cloud-samples-data-2/a.jpeg', false],
  ])('whether requests can read %s: %s', (address, isAllowed) => {
    expect(isReadable(address, ['gs://acme-manuals/', 'gs://acme/public/'])).toBe(isAllowed)
  })
})

describe('the prefixes that a customer can allow', () => {
  it.each([
    'gs://acme/',
    'gs://acme.example.com/',
    'gs://a_b-1/Ordner mit Ä/'.replaceAll(' ', '-'),
    'gs://acme/a/b/',
  ])('a customer can allow the prefix %s', (prefix) => {
    expect(storagePrefix.test(prefix)).toBe(true)
  })

  it.each([
    '',
    '/',
    'gs://',
    'gs:///',
    'gs://acme',
    'gs://acme/a',
    'gs://ac me/',
    'gs://*/',
    'GS://acme/',
    'gs://acme//',
  ])('a customer cannot allow the prefix %s', (prefix) => {
    expect(storagePrefix.test(prefix)).toBe(false)
  })
})
