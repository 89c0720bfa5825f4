import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { completions } from './wire.ts'

const path = { model: null, isStream: false, isJsonArray: false }
const parsed = (text: string) => completions.parseRequest(byteTextOf(text), path)
const read = (body: object): WireRequest => {
  const request = parsed(JSON.stringify({ model: 'acme/base', ...body }))
  if (isFault(request)) throw new Error(request.reason)
  return request
}

const seed = seedOfRun()
it(`the bound of a text completion is at least the provider’s count of input and output (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const texts = Array.from({ length: 1 + (run % 5) }, () =>
      Array.from({ length: 1 + (run % 40) }, () => random.pick(['word ', 'é', '𝄞', '\n', '"', ' a'])).join(
        '',
      ),
    )
    const tokens = texts.map((text) => Array.from(text, (_, index) => index))
    for (const prompt of [texts[0], texts, tokens, tokens[0]]) {
      const body = { model: 'acme/base', prompt, max_tokens: 7, n: 2, suffix: random.pick([null, 'the end']) }
      const request = read(body)
      const answer = play('completions', body, { model: 'base' })
      expect(answer.status, answer.text).toBe(200)
      const usage = completions.readAnswer(byteTextOf(answer.text), request)?.usage
      expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
      expect(request.textTokensMax).toBeGreaterThanOrEqual(request.inputEstimate)
      expect(request.choices * 7).toBeGreaterThanOrEqual(usage?.output ?? Infinity)
    }
  }
})

describe('a request', () => {
  it.each([
    [{ prompt: 'a' }, 1],
    [{}, 1],
    [{ prompt: ['a', 'b'], n: 3 }, 6],
    [{ prompt: ['a', 'b'], n: 3, best_of: 5 }, 10],
    [{ prompt: [1, 2, 3], best_of: 4 }, 4],
    [{ prompt: [[1], [2]] }, 2],
  ])('the body %j requests %i completions', (body, choices) => {
    expect(read(body).choices).toBe(choices)
  })

  it.each([
    [{ prompt: [] }, /^The field prompt must be/],
    [{ prompt: [['a']] }, /^The field prompt must be/],
    [{ prompt: {} }, /^The field prompt must be/],
    [
      { prompt: ['a', 'b'], n: 65 },
      /asks for 130 answers: 2 prompts times n or best_of\. Request at most 128\./,
    ],
    [{ prompt: 'a', best_of: 0 }, /^The field best_of must be/],
    [{ prompt: 'a', max_tokens: -1 }, /^The field max_tokens must be/],
    [{ prompt: 'a', stream: true, echo: true }, /Omit stream or echo/],
    [{ prompt: 'a', use_beam_search: true }, /more answers than it returns/],
    [{ prompt: 'a', ignore_eos: true }, /Also send max_tokens/],
  ])('the body %j is rejected', (body, reason) => {
    expect(() => read(body)).toThrow(reason)
  })

  it('the body changes only in the model name, the usage option and the clamped maximum', () => {
    const request = parsed('{"model":"acme/base","svc":{"session":"s"},"prompt":"é","x":1.0,"stream":true}')
    if (isFault(request)) throw new Error(request.reason)
    expect(request.session).toBe('s')
    expect(JSON.parse(Buffer.from(upstreamBody(request, 'base', 9, 'openai'), 'latin1').toString())).toEqual({
      max_tokens: 9,
      stream_options: { include_usage: true },
      model: 'base',
      prompt: 'é',
      x: 1,
      stream: true,
    })
    expect(upstreamBody(request, 'base', null)).toContain('"x":1.0')
  })
})

describe('a stream', () => {
  const chunk = (choices: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'text_completion', created: 5, model: 'up', choices, ...more })}\n\n`
  const text = (said: string, finish: string | null = null) => ({
    text: said,
    index: 0,
    logprobs: null,
    finish_reason: finish,
  })

  it('the text of a stream is counted, the model is the alias, and usage that was not requested is hidden', () => {
    const stream = completions.openStream(read({ prompt: 'a', stream: true }))
    const frames = [
      ...Array.from({ length: 50 }, (_, at) => chunk([text(` word ${at}`)])),
      chunk([text('', 'length')]),
      chunk([], { usage: { prompt_tokens: 3, completion_tokens: 99, total_tokens: 102 } }),
      'data: [DONE]\n\n',
    ]
    const shown = frames.map((frame) => stream.push(byteTextOf(frame))).join('')
    expect(shown).not.toContain('"up"')
    expect(shown).not.toContain('usage')
    expect(shown.match(/"model":"acme\/base"/g)).toHaveLength(51)
    expect(stream.textChunks).toBe(50)
    expect(stream.outputTokens).toBeGreaterThan(50)
  })

  it('a stream that the spend limit cuts ends with a text chunk, the usage and an error', () => {
    const stream = completions.openStream(read({ prompt: 'a', stream: true }))
    stream.push(byteTextOf(chunk([text('Hello')])))
    const error = { status: 402, code: 'spend_limit_exceeded', message: 'Enough', param: null, details: {} }
    const tail = stream.spendTail({ ...zeroUsage, input: 3, output: 1 }, error, 'req_1')
    const frames = Buffer.from(tail, 'latin1').toString().trim().split('\n\n')
    expect(frames.at(-1)).toBe('data: [DONE]')
    const [end, usage, failed] = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)))
    expect(end).toEqual({
      id: 'c',
      object: 'text_completion',
      created: 5,
      model: 'acme/base',
      choices: [text('', 'spend_limit_exceeded')],
    })
    expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } })
    expect(failed.error).toMatchObject({ code: 'spend_limit_exceeded', message: 'Enough' })
  })
})
