import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import { fileList } from './openai-and-anthropic-file-responses.ts'
import { isOfContent } from './google-file-responses.ts'

function fileOf(at: number): StoredFileRecord {
  return {
    applicationId: 'app_1',
    endUserId: 'eu_1',
    mode: 'live',
    organizationId: 'org_1',
    id: `file-${at}`,
    accountId: 'pa_1',
    format: 'openai',
    providerId: `file-vendor${at}`,
    filename: `${at}.txt`,
    kind: at % 2 === 0 ? 'user_data' : 'vision',
    bytes: 1,
    createdAtMs: at,
    expiresAtMs: null,
    removedAtMs: null,
  }
}

interface Listed {
  readonly data: readonly { readonly id: string }[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

function listed(files: readonly StoredFileRecord[], format: 'openai' | 'anthropic', query: object): Listed {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return fileList(files, format, parameters) as Listed
}

const newestFirst = (count: number): StoredFileRecord[] =>
  Array.from({ length: count }, (_, at) => fileOf(count - at))

test('the pages of a list contain each file once and in order, for any page size', () => {
  const asked = fc.record({
    count: fc.nat({ max: 30 }),
    limit: fc.integer({ min: 1, max: 12 }),
    order: fc.constantFrom('asc', 'desc'),
    format: fc.constantFrom('openai' as const, 'anthropic' as const),
  })
  fc.assert(
    fc.property(asked, ({ count, format, limit, order }) => {
      const files = newestFirst(count)
      const [after, more] = format === 'openai' ? ['after', { order }] : ['after_id', {}]
      const seen: string[] = []
      let last: Listed | null = null
      do {
        const cursor: object = last === null ? {} : { [after]: last.last_id }
        last = listed(files, format, { limit, ...more, ...cursor })
        expect(last.data.length).toBeLessThanOrEqual(limit)
        seen.push(...last.data.map(({ id }) => id))
      } while (last.has_more)
      const all = files.map(({ id }) => id)
      expect(seen).toEqual(format === 'openai' && order === 'asc' ? all.toReversed() : all)
    }),
  )
})

test('if a client sends `before_id`, the page ends with the file directly before the file with this ID', () => {
  const files = newestFirst(5)
  const page = listed(files, 'anthropic', { before_id: 'file-2', limit: 2 })
  expect(page.data.map(({ id }) => id)).toEqual(['file-4', 'file-3'])
  expect(page).toMatchObject({ first_id: 'file-4', last_id: 'file-3', has_more: true })
  expect(listed(files, 'anthropic', { before_id: 'file-4', limit: 2 }).has_more).toBe(false)
})

test('a list of files can be limited to a purpose', () => {
  const page = listed(newestFirst(4), 'openai', { purpose: 'vision' })
  expect(page.data.map(({ id }) => id)).toEqual(['file-3', 'file-1'])
})

test.each([
  ['openai', { limit: 0 }],
  ['openai', { limit: 10_001 }],
  ['openai', { limit: 'x' }],
  ['openai', { order: 'up' }],
  ['openai', { after_id: 'file-1' }],
  ['anthropic', { after: 'file-1' }],
  ['anthropic', { limit: 1_001 }],
] as const)('a list of files in the format of %s rejects the query %j', (format, query) => {
  expect(() => listed(newestFirst(2), format, query)).toThrow(/query parameter/)
})

test('Google’s description matches a file’s content only if the sizes are equal and any hash that Google states is equal', () => {
  const content = 'Hello'
  const hash = createHash('sha256').update(content)
  const digest = hash.copy().digest('base64')
  const hexadecimal = Buffer.from(hash.digest('hex')).toString('base64')
  for (const more of [{}, { sha256Hash: digest }, { sha256Hash: hexadecimal }])
    expect(isOfContent({ sizeBytes: '5', ...more }, content)).toBe(true)
  for (const description of [{}, { sizeBytes: '6' }, { sizeBytes: '5', sha256Hash: 'AAAA' }])
    expect(isOfContent(description, content)).toBe(false)
})
