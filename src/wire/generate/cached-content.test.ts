import { expect, test } from 'vitest'
import type { StoredCache } from '#wire/cached-content-use-types.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { parseCachedContent, readCachedContent } from './cached-content.ts'

const tokens = 1_000_000

function creation(parts: object[]): WireRequest {
  const body = { model: 'models/m', contents: [{ role: 'user', parts }] }
  const request = parseCachedContent(byteTextOf(JSON.stringify(body)), '')
  if (isFault(request)) throw new Error(request.reason)
  const opened = { paidMs: 3_600_000, expiresAtMs: 1, stored: null }
  return { ...request, caching: { id: null, lifetime: { ttlMs: 1 }, opened } }
}

/** The ID of the cached content must have the same token counts as the usage: text, sound and images. */
function read(request: WireRequest, isSoundDearer: boolean): number[] {
  let stored: Omit<StoredCache, 'origin'> | undefined
  const idOf = (cache: Omit<StoredCache, 'origin'>): string => {
    stored = cache
    return 'id'
  }
  const body = { name: 'cachedContents/a', model: 'models/m', usageMetadata: { totalTokenCount: tokens } }
  const answer = readCachedContent(byteTextOf(JSON.stringify(body)), request, {
    caches: { isSoundDearer, idOf },
  })
  const usage = answer?.usage
  if (!usage || stored === undefined) throw new Error('the description is read')
  expect([usage.audioInput, usage.imageInput]).toEqual([stored.audioTokens, stored.imageTokens])
  return [usage.input, usage.audioInput, usage.imageInput]
}

const link = { fileData: { fileUri: 'https://example.com/a', mimeType: 'audio/mp3' } }
const page = { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } }

test('fetched media in cached content counts as the most expensive medium that the content may contain', () => {
  expect(read(creation([link]), true)).toEqual([0, tokens, 0])
  expect(read(creation([link]), false)).toEqual([0, 0, tokens])
  expect(read(creation([page]), true)).toEqual([0, 0, tokens])
})

test('a file of unknown size in cached content counts like fetched media', () => {
  const request: WireRequest = { ...creation([{ text: 'hello' }]), fetched: 'any' }
  expect(read(request, true)).toEqual([0, tokens, 0])
})

test('cached content without media counts as text', () => {
  expect(read(creation([{ text: 'hello' }]), true)).toEqual([tokens, 0, 0])
})
