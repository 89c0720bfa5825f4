import { describe, expect, it } from 'vitest'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Price } from '#money/price.ts'
import { contextTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import type { FetchedMedium } from '#wire/media-token-types.ts'
import { mp4, track } from '#tests/fixtures/build-video-files.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import { boundOf } from './maximum-usage-of-call.ts'
import { providerAddedTokens } from './tokens-that-provider-adds.ts'

function planOf(kind: ProviderKind, model = 'm'): Plan {
  // `boundOf` reads only these fields of a plan.
  return {
    account: { kind },
    target: { model },
    outputTokensDefault: 9,
    ownSearches: null,
  } as unknown as Plan
}

describe('content that the provider fetches', () => {
  const text = wires.generate.parseRequest(
    byteTextOf(JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })),
    { model: 'm', isStream: false, isJsonArray: false },
  )
  if ('kind' in text) throw new Error(text.reason)
  const inputAt = (
    fetched: FetchedMedium,
    contextTokens: number | null,
    cost: Price,
  ): readonly [text: number, audio: number, images: number] => {
    const plan = { ...planOf('google'), contextTokens, quote: { basis: 'cost', cost } } as unknown as Plan
    const { audioTokens, imageTokens, textTokens } = boundOf({ ...text, fetched }, plan, text.textTokensMax)
    return [textTokens, audioTokens, imageTokens]
  }
  const own = text.textTokensMax

  it('content that the provider fetches counts as the whole rest of the context window, at the rate of the most expensive medium that the content may contain', () => {
    const dearSound = { input: 1n, audioInput: 3n, imageInput: 2n }
    const dearImages = { input: 1n, audioInput: 2n, imageInput: 3n }
    expect(inputAt('any', 100_000, dearSound)).toEqual([own, 100_000 - own, 0])
    expect(inputAt('any', 100_000, dearImages)).toEqual([own, 0, 100_000 - own])
    expect(inputAt('document', 100_000, dearSound)).toEqual([own, 0, 100_000 - own])
    expect(inputAt('any', null, dearSound)).toEqual([own, contextTokensMax - own, 0])
  })

  it('content that the provider fetches adds nothing if the rest of the input already fills the context window', () => {
    expect(inputAt('any', own - 1, { input: 1n })).toEqual([own, 0, 0])
  })
})

it('each page of a document counts as many tokens as the target’s vendor counts for a page', () => {
  const pdf = '%PDF-1.7 1 0 obj <</Type /Pages /Kids [2 0 R] /Count 1>> endobj 2 0 obj <</Type /Page>> endobj'
  const data = Buffer.from(pdf.padEnd(5_000)).toString('base64')
  const parts = [{ inlineData: { mimeType: 'application/pdf', data } }]
  const body = byteTextOf(JSON.stringify({ contents: [{ parts }] }))
  const request = wires.generate.parseRequest(body, { model: 'm', isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  const tokensAt = (kind: ProviderKind, model?: string): number =>
    boundOf(request, planOf(kind, model), request.textTokensMax).textTokens
  expect(tokensAt('anthropic')).toBe(request.textTokensMax)
  const added = providerAddedTokens(request, planOf('openai', 'gpt-4o-mini'))
  expect(tokensAt('openai', 'gpt-4o-mini')).toBe(request.textTokensMax + added + 48_399 - 4_800)
  expect(tokensAt('openai_compatible')).toBe(request.textTokensMax)
  expect(tokensAt('google')).toBe(request.textTokensMax - 7_800 + 1_290)
})

it('each frame of a video counts as many tokens as the target’s vendor counts for a frame', () => {
  const data = mp4({ tracks: [track({ scale: 1_000, runs: [[1, 1_305]] })] }).toString('base64')
  const addedAt = (kind: ProviderKind, model?: string, config?: object): number => {
    const contents = [{ parts: [{ inlineData: { mimeType: 'video/mp4', data } }] }]
    const body = byteTextOf(JSON.stringify({ contents, generationConfig: config }))
    const request = wires.generate.parseRequest(body, { model: 'm', isStream: false, isJsonArray: false })
    if ('kind' in request) throw new Error(request.reason)
    const plan = planOf(kind, model)
    const bound = boundOf(request, plan, request.textTokensMax).textTokens
    return bound - request.textTokensMax - providerAddedTokens(request, plan)
  }
  expect(addedAt('google')).toBe(0)
  expect(addedAt('google', 'gemini-2.5-flash')).toBe(0)
  expect(addedAt('google', 'gemini-3-pro')).toBe(3 * (80 - 300))
  expect(addedAt('google', 'gemini-3-pro', { mediaResolution: 'MEDIA_RESOLUTION_LOW' })).toBe(3 * (80 - 300))
  expect(addedAt('google', 'gemini-3-pro', { mediaResolution: 'MEDIA_RESOLUTION_HIGH' })).toBe(0)
  expect(addedAt('bedrock')).toBe(3 * (1_024 - 300))
})

it('Voxtral counts a sound in whole pieces of 30 seconds, and OpenAI counts one token for each 100 ms of a sound', () => {
  // WAV files with 8,000 samples of one byte per second.
  const wav = (seconds: number): string => {
    const head = '524946460000000057415645666d74201000000001000100401f0000401f00000100080064617461ffffffff'
    return Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(seconds * 8_000 - 44)]).toString('base64')
  }
  const content = [...Array.from({ length: 20 }, () => wav(1)), wav(31)].map((data) => ({
    type: 'input_audio',
    input_audio: { data, format: 'wav' },
  }))
  const body = byteTextOf(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }))
  const request = wires.chat.parseRequest(body, { model: null, isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  const audioTokensAt = (model: string, kind: ProviderKind = 'openai_compatible'): number =>
    boundOf(request, planOf(kind, model), request.textTokensMax).audioTokens
  expect(audioTokensAt('voxtral-small-latest')).toBe(20 * (375 + 16) + 2 * 375 + 16)
  for (const [model, kind] of [
    ['gpt-audio-mini', 'openai'],
    ['gpt-4o-audio-preview-2024-12-17', 'azure_openai'],
    ['openai/gpt-4o-mini-audio-preview', 'openrouter'],
  ] as const)
    // The header of each file counts as sound.
    expect(audioTokensAt(model, kind)).toBe(20 * (11 + 16) + 311 + 16)
  expect(audioTokensAt('gpt-audio')).toBe(request.audioTokensMax)
  expect(audioTokensAt('gemini-2.5-flash', 'google')).toBe(request.audioTokensMax)
  expect(audioTokensAt('m')).toBe(request.audioTokensMax)
  expect(request.audioTokensMax).toBeLessThan(2_000)
})
