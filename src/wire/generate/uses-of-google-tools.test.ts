import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import { GenerateFrameReader } from './frame-reader.ts'
import { parseGenerateRequest } from './parse-request.ts'
import { readGenerateAnswer } from './non-streaming-response.ts'

const path = { model: 'acme/fast', isStream: false, isJsonArray: false }
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
const usageMetadata = {
  promptTokenCount: 9,
  toolUsePromptTokenCount: 100,
  candidatesTokenCount: 3,
  totalTokenCount: 112,
}
const grounded = (queries: readonly string[], more: object = {}) => ({
  content: { parts: [{ text: 'Rome' }], role: 'model' },
  finishReason: 'STOP',
  groundingMetadata: { webSearchQueries: queries },
  ...more,
})

function request(tools: unknown, kept: readonly ToolKind[], more: object = {}): WireRequest {
  const text = byteTextOf(JSON.stringify({ contents, tools, ...more }))
  const answer = parseGenerateRequest(text, path, () => new Set(kept))
  if (isFault(answer)) throw new Error(`${answer.param}: ${answer.reason}`)
  return answer
}

describe('tools that Google runs', () => {
  it('tools of allowed kinds are kept in either spelling, and no field limits their uses', () => {
    const { lost, run } = request(
      [{ google_search: {} }, { urlContext: {}, codeExecution: {}, googleMaps: {} }],
      ['webSearch', 'codeExecution'],
    )
    expect(lost).toEqual(['tools.urlContext', 'tools.googleMaps'])
    expect(run).toMatchObject({
      kinds: ['webSearch', 'codeExecution'],
      isShared: true,
      limits: [{ asked: null, place: null }],
      dropped: {
        lost: ['tools.googleSearch', 'tools.urlContext', 'tools.codeExecution', 'tools.googleMaps'],
      },
    })
  })

  it('the rule for tools is evaluated for the model in the path', () => {
    const models: string[] = []
    const text = byteTextOf(JSON.stringify({ contents, tools: [{ googleSearchRetrieval: {} }] }))
    parseGenerateRequest(text, path, (model) => {
      models.push(model)
      return new Set()
    })
    expect(models).toEqual(['acme/fast'])
  })

  it('a mode that forces a tool call is rejected if no tool remains', () => {
    const toolConfig = { functionCallingConfig: { mode: 'ANY' } }
    expect(() => request([{ googleSearch: {} }], [], { toolConfig })).toThrow('webSearch')
    expect(request([{ googleSearch: {} }], ['webSearch'], { toolConfig }).lost).toBeUndefined()
  })
})

describe('uses that Google reports', () => {
  const searchesOf = (modelVersion: string | undefined, queries: readonly string[]): unknown => {
    const body = { candidates: [grounded(queries)], usageMetadata, modelVersion }
    return readGenerateAnswer(byteTextOf(JSON.stringify(body)), 'a')?.usage
  }

  it.each([
    ['gemini-3-pro', ['a', 'b', ''], 2],
    [undefined, ['a', 'b'], 2],
    ['gemini-2.5-flash', ['a', 'b'], 1],
    ['gemini-1.5-pro', ['a'], 1],
    ['gemini-2.5-flash', [], 0],
  ] as const)('for %s, the queries %j are billed as %i searches', (model, queries, webSearches) => {
    expect(searchesOf(model, queries)).toMatchObject({ input: 109, output: 3, webSearches })
  })

  it('a query that a stream repeats counts once, and all fetched pages together count as one use', () => {
    const facts = new GenerateFrameReader({
      model: 'acme/fast',
      isJsonArray: false,
      choices: 1,
      run: request([{ googleSearch: {} }], ['webSearch']).run ?? never(),
    })
    const stream = new PassThroughStream(facts)
    const frame = (candidate: object): void => {
      const body = { candidates: [candidate], usageMetadata, modelVersion: 'gemini-3-pro' }
      stream.push(byteTextOf(`data: ${JSON.stringify(body)}\r\n\r\n`))
    }
    frame(grounded(['a'], { finishReason: undefined }))
    expect(stream.toolUses).toBe(1)
    frame(grounded(['a', 'b'], { finishReason: undefined }))
    frame({ content: { parts: [{ executableCode: { language: 'PYTHON', code: '1' } }] } })
    expect(stream.toolUses).toBe(3)
    const urlMetadata = [{ retrievedUrl: 'https://a' }, { retrievedUrl: 'https://b' }]
    frame(grounded(['b'], { urlContextMetadata: { urlMetadata } }))
    expect(stream.toolUses).toBe(4)
    stream.end()
    expect(stream.usage).toEqual({ ...zeroUsage, input: 109, output: 3, webSearches: 2 })
  })

  it('the uses are zero for a request without tools that Google runs', () => {
    const facts = new GenerateFrameReader({ model: 'a', isJsonArray: false, choices: 1 })
    const stream = new PassThroughStream(facts)
    const body = { candidates: [grounded(['a'])], usageMetadata }
    stream.push(byteTextOf(`data: ${JSON.stringify(body)}\r\n\r\n`))
    stream.end()
    expect([stream.toolUses, stream.usage?.webSearches]).toEqual([0, 0])
  })
})

function never(): never {
  throw new Error('the request has tools that the provider runs')
}
