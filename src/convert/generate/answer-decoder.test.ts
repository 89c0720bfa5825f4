import { isObject, type JsonObject } from '#wire/text/json-values.ts'
import { describe, expect, it } from 'vitest'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { decodeGenerateAnswer, GenerateDecoder } from './answer-decoder.ts'

const options = { origin: 'acc1', callIdPrefix: 'call_r7_' }

function decoded(...frames: readonly JsonObject[]): readonly NeutralEvent[] {
  const decoder = new GenerateDecoder(options)
  const events = frames.flatMap((frame) => decoder.push(frame))
  return [...events, ...decoder.end()].filter(({ kind }) => kind !== 'start')
}

const candidate = (parts: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
})

describe('GenerateDecoder', () => {
  it('thoughts are read separately from text, and a signature keeps its position', () => {
    const text = { kind: 'text', choice: 0, text: 'So.' }
    const thought = { kind: 'reasoning', choice: 0, text: 'Hm.' }
    const seal = (data: string): object => ({
      kind: 'signature',
      choice: 0,
      signature: { wire: 'generate', origin: 'acc1', kind: 'thought_signature', data, id: null },
    })
    expect(
      decoded(
        candidate([{ text: 'Hm.', thought: true, thoughtSignature: 'YQ==' }, { text: 'So.' }]),
        candidate([{ text: '', thoughtSignature: 'Yg==' }], { finishReason: 'STOP' }),
      ),
    ).toEqual([
      thought,
      seal('YQ=='),
      text,
      seal('Yg=='),
      { kind: 'finish', choice: 0, reason: 'end', stopSequence: null },
    ])
  })

  it('a tool call is returned complete, after its signature, and with a unique generated ID', () => {
    const events = decoded(
      candidate([{ functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'YQ==' }]),
      candidate([{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g', id: 'own' } }], {
        finishReason: 'STOP',
      }),
    )
    expect(events.map(({ kind }) => kind)).toEqual([
      'signature',
      ...Array.from({ length: 3 }, () => ['tool_call', 'arguments', 'tool_call_end']).flat(),
      'finish',
    ])
    expect(events.filter(({ kind }) => kind === 'tool_call')).toMatchObject([
      { slot: 0, id: 'call_r7_0', name: 'f' },
      { slot: 1, id: 'call_r7_1', name: 'f' },
      { slot: 2, id: 'own', name: 'g' },
    ])
    expect(events.filter(({ kind }) => kind === 'arguments')).toMatchObject([
      { text: '{"a":1}' },
      { text: '{}' },
      { text: '{}' },
    ])
    // The generate wire has no finish reason for tool calls. The decoder detects tool calls by the parts of the answer.
    expect(events.at(-1)).toMatchObject({ reason: 'tool_calls' })
  })

  it('arguments that Vertex streams in pieces are assembled', () => {
    const events = decoded(
      candidate([{ functionCall: { name: 'book', id: 'c1', willContinue: true } }]),
      candidate([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: '$.city', stringValue: 'New', willContinue: true },
              { jsonPath: '$.nights', numberValue: 3 },
            ],
            willContinue: true,
          },
        },
      ]),
      candidate([
        {
          functionCall: {
            partialArgs: [
              { jsonPath: '$.city', stringValue: ' York' },
              { jsonPath: '$.guests[1].name', stringValue: 'Bo' },
              { jsonPath: '$.paid', boolValue: false },
              { jsonPath: '$.note', nullValue: 'NULL_VALUE' },
              { jsonPath: '$.__proto__.x', stringValue: 'no' },
              { jsonPath: 'city', stringValue: 'no' },
            ],
            willContinue: true,
          },
        },
      ]),
      // The last call is complete although the empty piece that normally ends a call is missing.
      candidate([], { finishReason: 'STOP' }),
    )
    expect(events).toMatchObject([
      { kind: 'tool_call', id: 'c1', name: 'book' },
      {
        kind: 'arguments',
        text: '{"city":"New York","nights":3,"guests":[null,{"name":"Bo"}],"paid":false,"note":null}',
      },
      { kind: 'tool_call_end' },
      { kind: 'finish', reason: 'tool_calls' },
    ])
  })

  it('a truncated tool call is never returned as complete', () => {
    const half = candidate([
      { functionCall: { name: 'f', partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true } },
    ])
    expect(decoded(half)).toEqual([])
  })

  it.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'max_output'],
    ['SAFETY', 'filtered'],
    ['MODEL_ARMOR', 'filtered'],
    ['MALFORMED_FUNCTION_CALL', 'bad_tool_call'],
    ['SOMETHING_NEW', 'other'],
  ])('the finish reason %s is read as %s, and is returned only once', (finishReason, reason) => {
    const end = candidate([], { finishReason })
    expect(decoded(end, end)).toEqual([{ kind: 'finish', choice: 0, reason, stopSequence: null }])
  })

  it('a response without candidates is read as a filtered answer only if the prompt was blocked', () => {
    expect(decoded({ promptFeedback: { blockReason: 'SAFETY' } })).toEqual([
      { kind: 'finish', choice: 0, reason: 'filtered', stopSequence: null },
    ])
    expect(decoded(candidate([{ text: 'a' }])).at(-1)).toMatchObject({ kind: 'text' })
  })

  it('an answer that consists only of hidden thoughts is read as a single finish event', () => {
    const empty = { candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }] }
    expect(decoded(empty)).toEqual([{ kind: 'finish', choice: 0, reason: 'max_output', stopSequence: null }])
  })

  it('a usage without an output count is ignored, such as a usage that contains only a traffic type', () => {
    const usage = (usageMetadata: JsonObject): unknown[] =>
      decoded({ ...candidate([{ text: 'a' }]), usageMetadata })
        .filter((event) => event.kind === 'usage')
        .map((event) => event.usage)
    expect(usage({ trafficType: 'ON_DEMAND' })).toEqual([])
    expect(usage({ promptTokenCount: 7, totalTokenCount: 7 })).toEqual([])
    expect(usage({ promptTokenCount: 7, thoughtsTokenCount: 2 })).toMatchObject([{ input: 7, output: 2 }])
    expect(usage({ promptTokenCount: -7, candidatesTokenCount: 2 })).toEqual([null])
  })

  it('an error is read with its reason and its field', () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      { fieldViolations: [{ field: 'contents[0]', description: 'x' }] },
    ]
    const error = { code: 400, status: 'INVALID_ARGUMENT', message: 'No.', details }
    expect(decoded({ error })).toMatchObject([
      {
        kind: 'error',
        error: { status: 400, code: 'API_KEY_INVALID', type: 'INVALID_ARGUMENT', param: 'contents[0]' },
      },
    ])
    expect(decoded({ error: 'no' })).toMatchObject([{ kind: 'error', error: { message: 'no' } }])
    expect(decoded({ ...candidate([{ text: 'a' }]), error: null })).toMatchObject([{ kind: 'text' }])
  })

  it('the events of several candidates are kept separate', () => {
    const frame = {
      candidates: [
        { index: 1, content: { parts: [{ text: 'b' }] }, finishReason: 'STOP' },
        { content: { parts: [{ text: 'a' }] } },
      ],
    }
    expect(decoded(frame)).toMatchObject([
      { kind: 'text', choice: 1, text: 'b' },
      { kind: 'finish', choice: 1 },
      { kind: 'text', choice: 0, text: 'a' },
    ])
  })

  it('each feature that no neutral event can express is reported as lost once', () => {
    const image = candidate([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }])
    expect(decoded(image, image)).toEqual([{ kind: 'lost', what: 'inlineData' }])
  })

  it('places and documents with an address are returned as citations, and other documents are reported as lost', () => {
    const groundingMetadata = {
      groundingChunks: [
        { maps: { uri: 'https://maps.test/1', title: 'M', placeId: 'places/1' } },
        { retrievedContext: { uri: 'https://d.test/', title: 'D', text: 'd' } },
        { retrievedContext: { uri: 'gs://bucket/d', title: 'G', text: 'g' } },
        { image: { sourceUri: 'https://i.test/', imageUri: 'https://i.test/i.png', title: 'I' } },
      ],
    }
    const events = decoded(candidate([{ text: 'x' }], { groundingMetadata, finishReason: 'STOP' }))
    const cited = (url: string, title: string): object => ({
      kind: 'citation',
      choice: 0,
      citation: { url, title, start: null, end: null },
    })
    expect(events.slice(1, -1)).toEqual([
      cited('https://maps.test/1', 'M'),
      cited('https://d.test/', 'D'),
      { kind: 'lost', what: 'groundingChunks' },
      cited('https://i.test/', 'I'),
    ])
  })

  it('sources are returned as citations, and log probabilities are returned in the format of the chat wire', () => {
    const events = decoded(
      candidate([{ text: 'a' }], {
        groundingMetadata: { groundingChunks: [{ web: { uri: 'https://x', title: 'X' } }, { maps: {} }] },
        citationMetadata: { citationSources: [{ uri: 'https://y', startIndex: 1 }] },
        logprobsResult: {
          chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: 'b', logProbability: -1 }] }],
        },
      }),
    )
    expect(events).toEqual([
      { kind: 'text', choice: 0, text: 'a' },
      {
        kind: 'logprobs',
        choice: 0,
        tokens: [
          {
            token: 'a',
            logprob: -0.5,
            bytes: null,
            top_logprobs: [{ token: 'b', logprob: -1, bytes: null }],
          },
        ],
      },
      { kind: 'citation', choice: 0, citation: { url: 'https://x', title: 'X', start: null, end: null } },
      { kind: 'citation', choice: 0, citation: { url: 'https://y', title: null, start: null, end: null } },
    ])
  })

  it('if Google’s signature field contains the tagged signature of another provider, the signature of that provider is read', () => {
    const signature = { wire: 'messages', origin: 'acc2', kind: 'signature', data: 'sig', id: null } as const
    const tagged = tagOf(signature).replaceAll('-', '+').replaceAll('_', '/')
    expect(decoded(candidate([{ text: '', thoughtSignature: tagged }]))).toEqual([
      { kind: 'signature', choice: 0, signature },
    ])
  })

  it('frames with values of the wrong types produce no events except `lost`', () => {
    const frames: unknown[] = [
      { candidates: 'x' },
      { candidates: [null, 1, { content: 3 }, { content: { parts: [null, [], { functionCall: 'x' }] } }] },
      { candidates: [{ index: 'a', finishReason: 7 }], usageMetadata: [], promptFeedback: 1 },
      { candidates: [{ content: { parts: [{ functionCall: { partialArgs: 1 } }, { text: 4 }] } }] },
    ]
    for (const frame of frames) {
      if (!isObject(frame)) throw new Error('no frame')
      expect(decoded(frame).every(({ kind }) => kind === 'lost')).toBe(true)
    }
  })
})

describe('decodeGenerateAnswer', () => {
  it('an invalid response of Google is decoded as null', () => {
    for (const body of [{}, { candidates: {} }, { error: { code: 500 } }])
      expect(decodeGenerateAnswer(body, options)).toBeNull()
  })
})
