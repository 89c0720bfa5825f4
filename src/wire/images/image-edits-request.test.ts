import { describe, expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { script } from '#simulator/steps-of-simulated-provider.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { isFault, upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { imageEdits } from './wire.ts'

const noPath = { model: null, isStream: false, isJsonArray: false }
const png = new Blob([Buffer.from('89504e470d0a1a0a', 'hex')])

function pngOf(width: number, height: number): Blob {
  const head = Buffer.from('89504e470d0a1a0a0000000d494844520000000000000000080600000000000000', 'hex')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return new Blob([head])
}

type Fields = readonly (readonly [name: string, value: string | Blob])[]
const usual: Fields = [
  ['model', 'acme/painter'],
  ['prompt', 'Add a fox'],
  ['image', png],
]

async function written(fields: Fields): Promise<{ text: ByteText; boundary: string }> {
  const form = new FormData()
  for (const [name, value] of fields)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, 'a.png')
  const response = new Response(form)
  const boundary = boundaryOf(response.headers.get('content-type') ?? '') ?? ''
  return { text: Buffer.from(await response.arrayBuffer()).toString('latin1'), boundary }
}

async function parsed(fields: Fields) {
  const { boundary, text } = await written(fields)
  return imageEdits.parseRequest(text, { ...noPath, boundary })
}

async function read(fields: Fields): Promise<WireRequest> {
  const request = await parsed(fields)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

function answerTo(request: WireRequest, model: string): ByteText {
  const body = Buffer.from(upstreamBody(request, model, null), 'latin1')
  const call = {
    wire: 'image_edits',
    model,
    isStream: false,
    purpose: 'answer',
    callId: '01',
    createdSeconds: 1,
  } as const
  const steps = [...script({ ...call, body })]
  return steps
    .map((step) => (step.kind === 'bytes' ? Buffer.from(step.bytes).toString('latin1') : ''))
    .join('')
}

const seed = seedOfRun()
it(`the bounds of an image edit are at least the provider’s counts (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 60; run++) {
    const prompt = Array.from({ length: 1 + run }, () => random.pick(['a fox ', 'é', '𝄞', '\r\n--'])).join('')
    const fields: Fields = [
      ['prompt', prompt],
      ...Array.from({ length: random.whole(1, 4) }, () => ['image[]', png] as const),
      ...(random.chance(0.5) ? [['mask', png] as const] : []),
      ['n', String(random.whole(1, 10))],
      ['quality', random.pick(['low', 'medium', 'high', 'auto'])],
      ['model', 'acme/painter'],
    ]
    // oxlint-disable-next-line no-await-in-loop -- one form after the other
    const request = await read(fields)
    const usage = imageEdits.readAnswer(answerTo(request, 'gpt-image-2'), request)?.usage
    expect(usage?.input).toBeGreaterThan(0)
    expect(request.textTokensMax).toBeGreaterThanOrEqual(usage?.input ?? Infinity)
    expect(request.images?.openai).toBeGreaterThanOrEqual(usage?.imageInput ?? Infinity)
    expect(request.uses?.imageOutput).toBeGreaterThanOrEqual(usage?.output ?? Infinity)
    expect(request.uses?.images).toBe(usage?.images)
    expect(request.textTokensMax + (request.images?.openai ?? 0)).toBeGreaterThanOrEqual(
      request.inputEstimate,
    )
  }
})

it.each([
  ['1,024 x 1,024 pixels', pngOf(1_024, 1_024), 6_821],
  ['2,000 x 1,000 pixels', pngOf(2_000, 1_000), 143 * 72],
  ['9,000 x 9,000 pixels', pngOf(9_000, 9_000), 16_000],
  ['unknown size', png, 16_000],
])('the token bound of an image of %s is based on its size', async (_, file, tokens) => {
  const request = await read([...usual.slice(0, 2), ['image[]', file], ['mask', file], ['n', '3']])
  expect(request.images?.openai).toBe(2 * 3 * tokens)
})

describe('a form with an image edit', () => {
  it('a form is sent with the provider’s model name, without `svc`, and otherwise unchanged', async () => {
    const svc = ['svc', '{"session":"s"}'] as const
    const { boundary, text } = await written([svc, ...usual, ['x', '1']])
    const request = imageEdits.parseRequest(text, { ...noPath, boundary })
    if (isFault(request)) throw new Error(request.reason)
    expect(request).toMatchObject({ session: 's', contentType: `multipart/form-data; boundary=${boundary}` })
    const { from, to } = { from: text.indexOf(`--${boundary}`), to: text.indexOf(`--${boundary}`, 2) }
    expect(upstreamBody(request, 'gpt-image-2', null)).toBe(
      (text.slice(0, from) + text.slice(to)).replace('acme/painter', 'gpt-image-2'),
    )
  })

  it.each<[string, Fields]>([
    [
      'model',
      [
        ['prompt', 'a'],
        ['image', png],
      ],
    ],
    [
      'model',
      [
        ['model', 'x'.repeat(129)],
        ['prompt', 'a'],
        ['image', png],
      ],
    ],
    ['model', [...usual, ['model', 'acme/other']]],
    [
      'model',
      [
        ['model', png],
        ['prompt', 'a'],
        ['image', png],
      ],
    ],
    [
      'prompt',
      [
        ['model', 'a'],
        ['image', png],
      ],
    ],
    [
      'image',
      [
        ['model', 'a'],
        ['prompt', 'a'],
      ],
    ],
    [
      'image',
      [
        ['model', 'a'],
        ['prompt', 'a'],
        ['mask', png],
      ],
    ],
    [
      'image',
      [
        ['model', 'a'],
        ['prompt', 'a'],
        ['image', 'https://example.com/a.png'],
      ],
    ],
    ['n', [...usual, ['n', '0']]],
    ['n', [...usual, ['n', '1e1']]],
    ['n', [...usual, ['n', '129']]],
    ['stream', [...usual, ['stream', 'true']]],
    ['quality', [...usual, ['quality', 'max']]],
    ['output_format', [...usual, ['output_format', 'gif']]],
    ['base_url', [...usual, ['base_url', 'https://example.com']]],
    ['models', [...usual, ['models', 'b']]],
    ['svc.x', [...usual, ['svc', '{"x":1}']]],
    ['svc', [...usual, ['svc', '{']]],
    ['constructor', [...usual, ['constructor', png]]],
  ])('a form is rejected, and the error names the field %s', async (param, fields) => {
    expect(await parsed(fields)).toMatchObject({ kind: 'fault', param })
  })

  it('a form is rejected if its boundary differs from the boundary in the Content-Type header', async () => {
    const { text } = await written(usual)
    expect(imageEdits.parseRequest(text, { ...noPath, boundary: 'other' })).toMatchObject({ kind: 'fault' })
  })

  it(`parsing a mutated form never throws, and an accepted form changes only in the model (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    const { boundary, text } = await written([...usual, ['n', '2'], ['svc', '{}']])
    for (let run = 0; run < 5_000; run++) {
      const at = random.whole(0, text.length)
      const piece = random.pick([
        '',
        '\r\n',
        '--',
        `--${boundary}`,
        '"',
        'name="model"',
        '\0',
        text.slice(0, at),
      ])
      const mutated = text.slice(0, at) + piece + text.slice(at + random.whole(0, 9))
      const request = imageEdits.parseRequest(mutated, { ...noPath, boundary })
      if (isFault(request)) continue
      const sent = upstreamBody(request, 'gpt-image-2', null)
      const again = imageEdits.parseRequest(sent, { ...noPath, boundary })
      expect(isFault(again) ? again : again.model).toBe('gpt-image-2')
    }
  })
})
