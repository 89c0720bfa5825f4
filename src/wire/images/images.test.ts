import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { imageTokensMax } from '#wire/generated-image-tokens.ts'
import { images } from './wire.ts'

const path = { model: null, isStream: false, isJsonArray: false }
const model = 'acme/painter'
const read = (body: object): WireRequest => {
  const request = images.parseRequest(byteTextOf(JSON.stringify({ model, ...body })), path)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

describe('the tokens of an image', () => {
  // The values come from the published calculator for gpt-image-2, and from the published tables of the older models.
  it.each([
    ['1024x1024', 'high', 7_024],
    ['1536x1024', 'high', 6_240],
    ['3840x2160', 'high', 13_342],
    ['3584x2048', 'high', 12_329],
    ['1024x1024', 'low', 408],
    ['1024x1024', 'medium', 1_756],
    ['1536x1024', 'medium', 1_584],
  ])('the token bound of an image covers the tokens of %s at the quality %s', (size, quality, tokens) => {
    expect(imageTokensMax(size, quality)).toBe(tokens)
  })

  it('if the model chooses the size of an image, the tokens of a large square are held', () => {
    for (const size of [null, 'auto', '16:9', '1024', '1024x1024x2', '-5x9', '1e3x9'])
      expect(imageTokensMax(size, 'high')).toBe(13_102)
  })

  it('the tokens of the largest image are held for an impossible size', () => {
    for (const size of ['99999x99999', '3840x3840', '0x1024', '1024x0'])
      expect(imageTokensMax(size, 'high')).toBe(imageTokensMax('2880x2880', 'high'))
  })

  const seed = seedOfRun()
  it(`the tokens of an image never exceed those of the largest image, and never decrease with higher quality (seed ${seed})`, () => {
    const random = randomFrom(seed)
    for (let run = 0; run < 2_000; run++) {
      const size = `${random.whole(0, 5_000)}x${random.whole(0, 5_000)}`
      const [low = 0, medium = 0, high = 0] = ['low', 'medium', 'high'].map((quality) =>
        imageTokensMax(size, quality),
      )
      expect(low).toBeLessThanOrEqual(medium)
      expect(medium).toBeLessThanOrEqual(high)
      expect(high).toBeLessThanOrEqual(imageTokensMax('2880x2880', 'high'))
      expect(imageTokensMax(size, random.pick([null, 'auto', 'standard', 'hd', 'unknown']))).toBe(high)
    }
  })
})

const seed = seedOfRun()
it(`the bounds of an images request are at least the provider’s counts (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 100; run++) {
    const prompt = Array.from({ length: 1 + run }, () => random.pick(['a fox ', 'é', '𝄞', '"', '\n'])).join(
      '',
    )
    const body = {
      prompt,
      n: random.whole(1, 10),
      quality: random.pick(['low', 'medium', 'high', 'auto', null]),
      size: random.pick(['1024x1024', 'auto', null]),
    }
    const request = read(body)
    const answer = play('images', { ...body, model: 'gpt-image-2' }, { model: 'gpt-image-2' })
    expect(answer.status, answer.text).toBe(200)
    const usage = images.readAnswer(byteTextOf(answer.text), request)?.usage
    expect(usage?.input).toBeGreaterThan(0)
    expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
    expect(request.uses?.imageOutput).toBeGreaterThanOrEqual(usage?.output ?? Infinity)
    expect(request.uses?.images).toBe(usage?.images)
    expect(request.outputTokensMax).toBe(0)
  }
})

describe('a request', () => {
  it('an images request is sent with the provider’s model name, without `svc`, and otherwise unchanged', () => {
    const body = byteTextOf('{"prompt":"é","svc":{"session":"s"},"model":"acme/painter","n":1.0,"x":1.0}')
    const request = images.parseRequest(body, path)
    if (isFault(request)) throw new Error(request.reason)
    expect(upstreamBody(request, 'gpt-image-2', null)).toBe(
      byteTextOf('{"prompt":"é","model":"gpt-image-2","n":1.0,"x":1.0}'),
    )
  })

  it('the hold covers the prompt and the image tokens once for each requested image', () => {
    const one = read({ prompt: 'a fox', quality: 'low', size: '1024x1024' })
    const five = read({ prompt: 'a fox', quality: 'low', size: '1024x1024', n: 5 })
    expect(one.uses).toEqual({ images: 1, imageOutput: 408 })
    expect(five.uses).toEqual({ images: 5, imageOutput: 5 * 408 })
    expect(five.textTokensMax).toBe(5 * one.textTokensMax)
  })

  it.each([
    [{}, 'prompt'],
    [{ prompt: ['a'] }, 'prompt'],
    [{ prompt: 'a', n: 0 }, 'n'],
    [{ prompt: 'a', n: 129 }, 'n'],
    [{ prompt: 'a', n: 1.5 }, 'n'],
    [{ prompt: 'a', stream: true }, 'stream'],
    [{ prompt: 'a', quality: 'max' }, 'quality'],
    [{ prompt: 'a', quality: 'xhigh' }, 'quality'],
    [{ prompt: 'a', output_format: 'gif' }, 'output_format'],
    [{ prompt: 'a', output_format: 'svg' }, 'output_format'],
    [{ prompt: 'a', svg: { model: 'gpt-6' } }, 'svg'],
    [{ prompt: 'a', base_url: 'https://example.com' }, 'base_url'],
    [{ prompt: 'a', models: ['b'] }, 'models'],
  ])('the images request %j is rejected because of its %s', (body, param) => {
    const text = byteTextOf(JSON.stringify({ model, ...body }))
    expect(images.parseRequest(text, path)).toMatchObject({ kind: 'fault', param })
  })

  it(`a mutated images request never causes an exception (seed ${seed})`, () => {
    const random = randomFrom(seed)
    const whole = JSON.stringify({ model, prompt: 'é', n: 2, size: '1024x1024', quality: 'low', svc: {} })
    for (let run = 0; run < 3_000; run++) {
      const at = random.whole(0, whole.length)
      const piece = random.pick(['', '"', '{', '[', ']', '}', 'null', '-1', '\\u0000', whole.slice(0, at)])
      const text = byteTextOf(whole.slice(0, at) + piece + whole.slice(at + random.whole(0, 5)))
      const request = images.parseRequest(text, path)
      if (!isFault(request)) expect(request.uses?.imageOutput).toBeGreaterThan(0)
    }
  })
})

describe('a response', () => {
  const request = read({ prompt: 'a fox', n: 3, quality: 'low', size: '1024x1024' })
  const answerTo = (text: string) => images.readAnswer(byteTextOf(text), request)

  it('a response of GPT Image reports its tokens and the number of images', () => {
    const answer = answerTo(
      '{"created":1,"data":[{"b64_json":"AA=="},{"b64_json":"]},{"}],"usage":{"input_tokens":50,"input_tokens_details":{"image_tokens":40,"text_tokens":10},"output_tokens":500,"output_tokens_details":{"image_tokens":450,"text_tokens":50},"total_tokens":550}}',
    )
    expect(answer).toMatchObject({
      hasReportedUsage: true,
      hasNoOutput: true,
      usage: { input: 10, imageInput: 40, output: 500, imageOutput: 450, images: 2 },
    })
  })

  it('output tokens without details count as image tokens', () => {
    const usage = '{"input_tokens":5,"output_tokens":100,"total_tokens":105}'
    expect(answerTo(`{"data":[{}],"usage":${usage}}`)?.usage).toMatchObject({ input: 5, imageOutput: 100 })
  })

  it('without a usage, each returned image counts as the tokens that were held for it', () => {
    const answer = answerTo('{"created":1,"data":[{"url":"https://example.com/1.png"},{"url":"b"}]}')
    expect(answer).toMatchObject({
      hasReportedUsage: false,
      usage: { images: 2, output: 816, imageOutput: 816, lacks: 'input' },
    })
  })

  it('the images response names neither the provider nor its price', () => {
    const answer = answerTo(
      '{"data":[],"model":"up","provider":"x","usage":{"input_tokens":1,"output_tokens":0,"cost":0.5}}',
    )
    expect(answer?.body).toBe(
      '{"data":[],"model":"acme/painter","usage":{"input_tokens":1,"output_tokens":0}}',
    )
  })

  it.each([
    '{"data":[],"usage":{}}',
    '{"data":[],"usage":{"input_tokens":-1,"output_tokens":5}}',
    '{"data":[],"usage":{"input_tokens":5,"output_tokens":5,"input_tokens_details":{"image_tokens":6}}}',
    '{"data":[],"usage":{"input_tokens":5,"output_tokens":5,"output_tokens_details":{"image_tokens":6}}}',
  ])('%s is not accepted as a usage of images', (text) => {
    expect(answerTo(text)).toMatchObject({ usage: null, hasReportedUsage: true })
  })

  it.each(['<html></html>', '{"data":[{"b64_json":"AA', '{"error":{"message":"no"}}', '{"data":{}}'])(
    '%s is not accepted as a response with images',
    (text) => expect(answerTo(text)).toBeNull(),
  )
})
