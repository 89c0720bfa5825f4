import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '#domain/billing/money-account-key.ts'
import { keyRing, newMasterKey } from './encrypt-stored-secrets.ts'
import { FileTags, type FileState, type UploadState } from './ids-of-files.ts'
import { StateTags } from './ids-of-stored-responses.ts'

const ring = keyRing(newMasterKey())
const tags = new FileTags(ring)
const ada: Account = { applicationId: 'app_1', endUserId: 'eu_ada', mode: 'live' }

const states = fc.record<FileState>({
  origin: fc.string({ minLength: 1, maxLength: 16 }),
  id: fc.string({ minLength: 1, maxLength: 128 }),
  tokens: fc.nat(),
  citedTokens: fc.nat(),
  pixels: fc.option(fc.record({ width: fc.integer({ min: 1 }), height: fc.integer({ min: 1 }) }), {
    nil: null,
  }),
})
const formats = fc.constantFrom('openai' as const, 'anthropic' as const, 'google' as const)
const owners = fc.record<Account>({
  applicationId: fc.constantFrom('app_1', 'app_2'),
  endUserId: fc.constantFrom('eu_ada', 'eu_bob'),
  mode: fc.constantFrom('live', 'test'),
})

describe('the ID of a file', () => {
  it('the state in the ID of a file can be read only for the owner and the format of the file', () => {
    fc.assert(
      fc.property(states, owners, owners, formats, formats, (state, owner, other, format, another) => {
        const isSame = JSON.stringify([owner, format]) === JSON.stringify([other, another])
        const opened = format === 'google' ? { ...state, medium: 'document' } : state
        expect(tags.open(other, another, tags.tagOf(owner, format, state))).toEqual(isSame ? opened : null)
      }),
      { numRuns: 1_000 },
    )
  })

  it('the ID of a file at Google states the medium and the sound of the file, in characters that Google’s clients accept', () => {
    const media = fc.constantFrom<NonNullable<FileState['medium']>>('image', 'audio', 'video', 'document')
    const sounds = fc.option(fc.integer({ min: 1 }), { nil: null })
    fc.assert(
      fc.property(states, media, sounds, (state, medium, soundTokens) => {
        const file = { ...state, medium, soundTokens }
        const id = tags.tagOf(ada, 'google', file)
        expect(id).toMatch(/^[0-9a-f]+$/)
        expect(tags.open(ada, 'google', id)).toEqual(file)
        expect(tags.open(ada, 'google', id.toUpperCase())).toBeNull()
        expect(tags.openUpload(ada, id)).toBeNull()
      }),
    )
  })

  it('the ID of a started upload is accepted only from its owner, and is not accepted as the ID of a file', () => {
    const uploads = fc.record<UploadState>({
      origin: fc.string({ maxLength: 16 }),
      mediaType: fc.string({ maxLength: 64 }),
      filename: fc.string({ maxLength: 256 }),
      startedAtMs: fc.nat(),
    })
    fc.assert(
      fc.property(uploads, owners, owners, (upload, owner, other) => {
        const id = tags.uploadTagOf(owner, upload)
        const isSame = JSON.stringify(owner) === JSON.stringify(other)
        expect(tags.openUpload(other, id)).toEqual(isSame ? upload : null)
        for (const format of ['openai', 'anthropic', 'google'] as const)
          expect(tags.open(owner, format, id)).toBeNull()
      }),
    )
  })

  it('the ID of a file is not accepted as the ID of a response, and the ID of a response is not accepted as the ID of a file', () => {
    const responses = new StateTags(ring)
    const response = responses.tagOf(ada, {
      origin: 'o',
      alias: 'acme/fast',
      tokens: 12,
      id: 'resp_1',
      callId: null,
    })
    const file = tags.tagOf(ada, 'openai', { origin: 'o', id: 'f', tokens: 1, citedTokens: 1, pixels: null })
    expect(tags.open(ada, 'openai', response.replace('resp_', 'file-'))).toBeNull()
    expect(responses.open(ada, file.replace('file-', 'resp_'))).toBeNull()
  })
})
