import { describe, expect, it } from 'vitest'
import { EVERYTHING } from '#tests/fixtures/build-money-values.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { canReportOf } from './dimensions-that-provider-may-report.ts'

const hello = [{ role: 'user', content: 'Hello' }]

function read(wire: WireName, body: object | string): WireRequest {
  const text = byteTextOf(typeof body === 'string' ? body : JSON.stringify(body))
  const request = wires[wire].parseRequest(text, { model: 'm', isStream: false, isJsonArray: false })
  if ('kind' in request) throw new Error(request.reason)
  return request
}

function can(request: WireRequest, kind: ProviderKind, model = 'gpt-6-sol') {
  const plan = { account: { kind }, target: { model } }
  // `canReportOf` reads only these fields of a plan.
  return canReportOf(request, plan as unknown as Plan)
}

describe('cache writes that a provider may report', () => {
  const plain = read('messages', { model: 'm', max_tokens: 9, messages: hello })
  const marked = (ttl?: string) =>
    read('messages', {
      model: 'm',
      max_tokens: 9,
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral', ttl } }],
        },
      ],
    })

  it('for Anthropic, cache writes are possible only if the request marks content for the cache', () => {
    expect(can(plain, 'anthropic')).toMatchObject({ cacheWrite: false, cacheWriteLong: false })
    expect(can(marked(), 'anthropic')).toMatchObject({ cacheWrite: true, cacheWriteLong: false })
    expect(can(marked('5m'), 'anthropic')).toMatchObject({ cacheWrite: true, cacheWriteLong: false })
    expect(can(marked('1h'), 'anthropic')).toMatchObject({ cacheWrite: true, cacheWriteLong: true })
  })

  it('a request may write to the cache if it contains any spelling of the cache mark', () => {
    const spelled =
      '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hello"}],"cache\\u005fcontrol":{"ttl":"1h"}}'
    expect(can(read('messages', spelled), 'anthropic')).toMatchObject({
      cacheWrite: true,
      cacheWriteLong: true,
    })
    const accented = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"\\u00e9\\u0142"}]}'
    expect(can(read('messages', accented), 'anthropic')).toMatchObject({ cacheWrite: false })
  })

  const lifetimes = [undefined, '5m', '30m', '1h', '12h', '24h']
  const marks = lifetimes.flatMap((ttl) =>
    (['chat', 'responses'] as const).map((wire) => [wire, ttl] as const),
  )
  it.each(marks)(
    'if a %s request marks content for the cache with the lifetime %s, the hold covers the cache writes that Claude reports after the conversion',
    (wire, ttl) => {
      const mark = { prompt_cache_breakpoint: { mode: 'explicit', ttl } }
      const text = { type: wire === 'chat' ? 'text' : 'input_text', text: 'Hello', ...mark }
      const request = read(wire, {
        model: 'm',
        [wire === 'chat' ? 'messages' : 'input']: [{ role: 'user', content: [text] }],
      })
      const to = { wire: 'messages', model: 'claude-opus-5', origin: '', dialect: 'compatible' } as const
      const conversion = prepareConversion(request, to)
      if ('kind' in conversion) throw new Error(conversion.reason)
      const sent = conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 })
      expect(sent).toContain('cache_control')
      const cacheWriteLong = sent.includes('"1h"')
      expect(cacheWriteLong).toBe(ttl === '12h' || ttl === '24h')
      expect(can(request, 'anthropic').cacheWrite).toBe(true)
      if (cacheWriteLong) expect(can(request, 'anthropic').cacheWriteLong).toBe(true)
    },
  )

  const points = ['content', 'system', 'tools'].flatMap((place) =>
    [undefined, '5m', '1h'].map((ttl) => [place, ttl] as const),
  )
  it.each(points)(
    'if a Converse request has a cachePoint in %s with the lifetime %s, the hold covers cache writes, also after a conversion to another wire',
    (place, ttl) => {
      const point = { cachePoint: { type: 'default', ttl } }
      const pointIn = (name: string): readonly object[] => (place === name ? [point] : [])
      const tool = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }
      const request = read('converse', {
        system: [{ text: 'Be brief' }, ...pointIn('system')],
        messages: [{ role: 'user', content: [{ text: 'Hello' }, ...pointIn('content')] }],
        toolConfig: { tools: [tool, ...pointIn('tools')] },
      })
      const to = { wire: 'messages', model: 'claude-opus-5', origin: '', dialect: 'compatible' } as const
      const conversion = prepareConversion(request, to)
      if ('kind' in conversion) throw new Error(conversion.reason)
      const sent = conversion.body({ outputTokensMax: 9, outputTokensDefault: 9 })
      expect([sent.includes('cache_control'), sent.includes('"1h"')]).toEqual([true, ttl === '1h'])
      const held = { cacheWrite: true, cacheWriteLong: ttl === '1h' }
      expect(can(request, 'anthropic')).toMatchObject(held)
      expect(can(request, 'bedrock', 'us.anthropic.claude-opus-5-v1:0')).toMatchObject(held)
    },
  )

  it('a Converse request without a mark causes no cache writes at Claude', () => {
    const request = read('converse', { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] })
    const none = { cacheWrite: false, cacheWriteLong: false }
    expect(can(request, 'bedrock', 'us.anthropic.claude-opus-5-v1:0')).toMatchObject(none)
  })

  it('Google never bills cache writes, and all other providers may bill them', () => {
    expect(can(marked('1h'), 'google')).toMatchObject({ cacheWrite: false, cacheWriteLong: false })
    for (const kind of ['openai', 'openai_compatible', 'simulator'] as const)
      expect(can(plain, kind)).toMatchObject({ cacheWrite: true, cacheWriteLong: true })
  })
})

describe('whether a provider may report tokens of spoken or drawn output', () => {
  const chat = (fields: object) => read('chat', { model: 'm', messages: hello, ...fields })
  const none = { audioOutput: false, imageOutput: false }

  it.each([
    ['nothing', {}, none],
    ['null', { modalities: null, audio: null }, none],
    ['text', { modalities: ['text'] }, none],
    ['speech', { modalities: ['text', 'audio'] }, { ...none, audioOutput: true }],
    ['a voice', { audio: { voice: 'alloy', format: 'wav' } }, { ...none, audioOutput: true }],
    ['pictures', { modalities: ['IMAGE', 'text'] }, { ...none, imageOutput: true }],
    ['a text instead of a list', { modalities: 'audio' }, { audioOutput: true, imageOutput: true }],
    ['a list without texts', { modalities: [1] }, { audioOutput: true, imageOutput: true }],
  ])(
    'if a chat request sets its output modalities to %s, the provider may report each modality that this value can mean',
    (_name, fields, output) => {
      expect(can(chat(fields), 'openai_compatible')).toMatchObject(output)
    },
  )

  it('a provider may report speech or images for a model that generates them, unless the request asks only for text', () => {
    expect(can(chat({}), 'openai', 'gpt-audio-mini')).toMatchObject({ ...none, audioOutput: true })
    expect(can(chat({ modalities: ['text'] }), 'openai', 'gpt-audio-mini')).toMatchObject(none)
    const contents = [{ parts: [{ text: 'Hello' }] }]
    const model = 'gemini-3-pro-image'
    expect(can(read('generate', { contents }), 'google', model)).toMatchObject({ ...none, imageOutput: true })
    const textAlone = { contents, generationConfig: { responseModalities: ['TEXT'] } }
    expect(can(read('generate', textAlone), 'google', model)).toMatchObject(none)
    expect(can(read('generate', { contents }), 'google', 'gemini-3-pro')).toMatchObject(none)
    // The conversion to Gemini's format omits the modalities.
    expect(can(chat({ modalities: ['text'] }), 'google', model)).toMatchObject({ ...none, imageOutput: true })
    expect(can(chat({ modalities: ['text'] }), 'openai_compatible', model)).toMatchObject(none)
  })

  it('in addition to text and cache writes, a provider may report only speech and images', () => {
    expect(can(chat({ modalities: ['audio', 'image'] }), 'openai')).toEqual(EVERYTHING)
  })
})
