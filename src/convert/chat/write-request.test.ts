import { describe, expect, it } from 'vitest'
import type { OpenaiDialect } from '#wire/names-of-wires-and-tasks.ts'
import { listOf, objectOf, printValue, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import type { NeutralRequest, Part, Turn } from '#convert/neutral-format.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { writeChatRequest } from './write-request.ts'

function write(request: Partial<NeutralRequest>, dialect: OpenaiDialect, model = 'm'): JsonObject {
  return writeChatRequest(aRequest(request), {
    model,
    outputTokensMax: null,
    outputTokensDefault: 9,
    origin: 'acct',
    dialect,
  })
}

const text = (words: string): Part => ({ kind: 'text', text: words, cache: null })
const hello: Turn = { role: 'user', parts: [text('hello')] }
const thought: Part = {
  kind: 'reasoning',
  text: 'Hm.',
  signature: { wire: 'chat', origin: 'acct', kind: 'signature', data: '', id: null },
}

describe('writeChatRequest', () => {
  it('OpenAI gets every tool with a type and properties, because it rejects schemas without them', () => {
    const tool = { name: 'f', description: null, isStrict: null, custom: null, cache: null }
    const schemas = [null, { type: 'object' }, { required: [] }]
    const tools = schemas.map((parameters) => ({ ...tool, parameters }))
    expect(write({ turns: [hello], tools }, 'openai').tools).toEqual(
      schemas.map((schema) => ({
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: {}, ...schema } },
      })),
    )
  })

  it.each([
    ['compatible', true],
    ['groq', false],
    ['mistral', false],
  ] as const)('whether reasoning is sent back to a server of the dialect %s: %s', (dialect, isSent) => {
    const turns: readonly Turn[] = [hello, { role: 'assistant', parts: [thought, text('so')] }, hello]
    expect(printValue(write({ turns }, dialect)).includes('"reasoning_content":"Hm."')).toBe(isSent)
  })

  it('for Gemini 3 and later, a placeholder replaces a missing signature on the first tool call of a message', () => {
    const call = (id: string): Part => ({
      kind: 'tool_call',
      id,
      name: 'f',
      arguments: '{}',
      isCustom: false,
    })
    const results = ['a', 'b'].map((callId): Part => {
      return {
        kind: 'tool_result',
        callId,
        name: 'f',
        parts: [],
        isError: false,
        isCustom: false,
        cache: null,
      }
    })
    const sent = (
      model: string,
      dialect: OpenaiDialect,
      before: readonly Part[] = [],
    ): readonly JsonValue[] => {
      const turns: readonly Turn[] = [
        hello,
        { role: 'assistant', parts: [...before, call('a'), call('b')] },
        { role: 'user', parts: results },
      ]
      const { tool_calls: calls } = objectOf(listOf(write({ turns }, dialect, model).messages)[1])
      return listOf(calls).map((one) => objectOf(one).extra_content ?? null)
    }
    const placeholder = { google: { thought_signature: 'skip_thought_signature_validator' } }
    for (const model of ['gemini-3-pro-preview', 'google/gemini-3.5-flash', 'gemini-flash-latest'])
      expect(sent(model, 'compatible')).toEqual([placeholder, null])
    expect(sent('gemini-2.5-pro', 'compatible')).toEqual([null, null])
    expect(sent('llama', 'compatible')).toEqual([null, null])
    expect(sent('gemini-3-pro-preview', 'openai')).toEqual([null, null])
    const own = { wire: 'chat', origin: 'acct', id: null } as const
    const signed = {
      ...thought,
      text: '',
      signature: { ...own, kind: 'thought_signature', data: 's' },
    } as const
    expect(sent('gemini-3-pro-preview', 'compatible', [signed])).toEqual([
      { google: { thought_signature: 's' } },
      null,
    ])
    const details = {
      ...own,
      kind: 'encrypted',
      data: '[{"type":"reasoning.encrypted","data":"d"}]',
    } as const
    const withDetails = { kind: 'reasoning', text: '', signature: details } as const
    expect(sent('google/gemini-3-pro', 'compatible', [withDetails])).toEqual([null, null])
  })
})
