import { describe, expect, it } from 'vitest'
import type { OpenaiDialect } from '#wire/names-of-wires-and-tasks.ts'
import { printValue, type JsonObject } from '#wire/text/json-values.ts'
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
})
