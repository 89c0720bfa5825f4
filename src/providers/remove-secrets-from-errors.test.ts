import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { cleanedError, providerErrorOf } from '#wire/read-provider-error.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { cleanerOf } from './remove-secrets-from-errors.ts'

const baseUrl = 'https://api.fireworks.ai/inference/v1'
const model = 'accounts/fireworks/models/llama-v3p1-405b'
const alias = 'acme/fast'

const cleanOf = (credential: string | null) => {
  const clean = cleanerOf({ credential, baseUrl })
  return (text: string): string => clean(text, model, alias)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const letters = (from: string, min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...from.split('')), minLength: min, maxLength: max })

/** Keys in various formats of providers: hexadecimal, UUIDs, only digits, with and without a prefix. */
const credentials = fc.oneof(
  letters('0123456789abcdef', 32, 64),
  fc.uuid(),
  letters(alphabet, 20, 24).map((text) => `fw_${text}`),
  letters(alphabet, 40, 48).map((text) => `sk-proj-${text}`),
  letters(`${alphabet}-_`, 24, 60),
  letters(`${alphabet}+/=.~`, 24, 60),
  letters('0123456789', 16, 32),
)

const showings: readonly ((credential: string, random: number) => string)[] = [
  (credential) => credential,
  (credential) => `Bearer ${credential}`,
  (credential) => credential.toUpperCase(),
  (credential) => `${credential.slice(0, 6)}...${credential.slice(-4)}`,
  (credential) => `${credential.slice(0, 7)}${'*'.repeat(credential.length - 11)}${credential.slice(-4)}`,
  (credential, random) => credential.slice(random % (credential.length - 8)).slice(0, 8),
  (credential, random) => {
    const at = 6 + (random % (credential.length - 12))
    return `${credential.slice(0, at)}\n${credential.slice(at)}`
  },
  (credential) => encodeURIComponent(credential),
  (credential) => encodeURIComponent(encodeURIComponent(credential)),
  (credential) => Buffer.from(credential).toString('base64'),
  (credential) => Buffer.from(`api:${credential}`).toString('base64'),
  (credential) => Buffer.from(`${credential}:`).toString('base64url'),
  (credential) => Buffer.from(credential).toString('hex'),
  (credential) => JSON.stringify({ authorization: credential }),
  (credential) => JSON.stringify({ raw: JSON.stringify({ key: credential }) }),
  (credential) =>
    credential
      .split('')
      .map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
]

/** A piece of the key could be visible in one of these decodings. */
function readings(text: string): string[] {
  const unescaped = text.replaceAll(/\\+u([\da-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const plain = unescaped.replaceAll(/\\/g, '')
  const decoded = plain.replaceAll(/%(?:25)*([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const encoded = [...text.matchAll(/[\w+/-]{8,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')),
  )
  const hex = [...text.matchAll(/[\da-f]{12,}/gi)].flatMap(([run]) =>
    [0, 1].map((skip) => Buffer.from(run.slice(skip), 'hex').toString('latin1')),
  )
  return [text, unescaped, plain, decoded, ...encoded, ...hex].map((one) => one.toLowerCase())
}

function piecesLeft(text: string, credential: string): string[] {
  const shown = readings(text)
  const lower = credential.toLowerCase()
  return Array.from({ length: lower.length - 5 }, (_, at) => lower.slice(at, at + 6)).filter((piece) =>
    shown.some((one) => one.includes(piece)),
  )
}

describe('an error of a provider', () => {
  it('a cleaned error reveals no six consecutive characters of the credential, at any position and in any encoding', () => {
    const words = fc.constantFrom('Incorrect API key provided:', 'for', '(key', 'at', 'é€', '"', '\\', 'ü')
    fc.assert(
      fc.property(
        credentials,
        fc.array(fc.tuple(words, fc.constantFrom(...showings), fc.nat()), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('message', 'param', 'code', 'type', 'extra', 'nested', 'name', 'list'),
        (credential, shown, place) => {
          const text = shown.map(([word, show, random]) => `${word} ${show(credential, random)}`).join(' ')
          const error = {
            message: 'It failed.',
            type: 'invalid_request_error',
            ...(place === 'nested'
              ? { details: { metadata: { raw: text } } }
              : place === 'name'
                ? { [text]: true }
                : place === 'list'
                  ? { items: [[text]] }
                  : { [place]: text }),
          }
          const said = providerErrorOf({ error })
          if (said === null) throw new Error('it is an error')
          const cleaned = cleanedError(said, cleanOf(credential))
          expect(piecesLeft(JSON.stringify(cleaned), credential)).toEqual([])
        },
      ),
      sampledRuns(3000),
    )
  })

  it('if a credential consists of digits, a cleaned error does not contain the credential as a JSON number', () => {
    const said = providerErrorOf({ error: { message: 'no', key: 123456789012 } })
    expect(said && cleanedError(said, cleanOf('123456789012')).own).toEqual({
      message: 'no',
      key: '[removed]',
    })
  })

  it('a cleaned error keeps error codes, full stops, and words that identify neither an account nor a provider', () => {
    const clean = cleanOf('fw_3ZaQ9xT7LmP2vR8kY5nB')
    for (const text of [
      'Invalid schema for function \'f\': "x" is not allowed.',
      "This model's maximum context length is 8192 tokens. However, you requested 9000...",
      'context_length_exceeded',
      'key_length_exceeded for the organization of projectiles, skyscrapers and keyboards',
      'messages[3].content[0].text: **bold** and so on ...',
    ])
      expect(clean(text)).toBe(text)
  })

  it.each([
    ['of the account', `Ask https://api.fireworks.ai/inference/v1/models.`, 'Ask [address].'],
    [
      'of its neighbours',
      'See docs.fireworks.ai/errors, or FIREWORKS.AI:443.',
      'See [address], or [address].',
    ],
    ['of anybody', 'See https://x.example/a?b=c.', 'See [address].'],
    ['of the model', `No ${model} here.`, 'No acme/fast here.'],
    ['of the model in short', 'No llama-v3p1-405b-instruct@2 here.', 'No acme/fast here.'],
    ['of the client', 'No acme/fast here.', 'No acme/fast here.'],
    ['of an organization', 'in organization org-8nYqZ3vR on tokens', 'in organization [removed] on tokens'],
    ['of a project', 'consumer projects/123456789', 'consumer projects/[removed]'],
    ['of another key', 'key sk-zyxwvuts9753, AIzaSyZyXwVu_98', 'key [removed], [removed]'],
    ['behind stars', 'key abcd****************wxyz.', 'key [removed].'],
  ])('a cleaned error does not contain the name %s', (_, text, cleaned) => {
    expect(cleanOf('0123456789abcdef0123456789abcdef')(text)).toBe(cleaned)
  })

  it('the beginning and end of a key are removed together with the dots between them', () => {
    const clean = cleanOf('abcQ9xT7LmP2vR8kY5nwxyz')
    expect(clean('Incorrect key: abc...xyz.')).toBe('Incorrect key: [removed].')
    expect(clean('Incorrect key: …wxyz')).toBe('Incorrect key: [removed]')
    expect(clean('Wait... then come back')).toBe('Wait... then come back')
  })

  it('an error is cleaned in linear time', () => {
    const clean = cleanOf('fw_3ZaQ9xT7LmP2vR8kY5nB')
    const long = cleanOf('A1'.repeat(1_000))
    const units = [
      'org-',
      'a',
      'A…',
      'a*',
      'a.',
      '*',
      '.',
      'http://',
      '\\',
      '%25',
      'fw_3Z',
      'models/',
      'Bearer ',
    ]
    for (const unit of units) {
      const text = unit.repeat(64 * 1024).slice(0, 64 * 1024)
      // The linear search takes about 15 ms. An earlier quadratic search took 4 s.
      withinCpu(1000, () => clean(text), unit)
      withinCpu(1000, () => long(text), `${unit}, with a long credential`)
    }
  })

  it('an error of any size and depth is cleaned, and a very large error is truncated', () => {
    const clean = cleanOf('fw_3ZaQ9xT7LmP2vR8kY5nB')
    const text = 'ü%41'.repeat(4 * 1024 * 1024)
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
    const list = Array.from({ length: 1_000_000 }, () => [])
    for (const error of [{ message: text }, { text }, { [text]: 1 }, { deep }, { list }]) {
      const said = providerErrorOf({ error })
      if (said === null) throw new Error('it is an error')
      const cleaned = withinCpu(1000, () => cleanedError(said, clean))
      expect(JSON.stringify(cleaned).length).toBeLessThan(2_000_000)
    }
  })

  it('nothing is removed from an error text if the credential is only a placeholder', () => {
    expect(cleanOf('x')('exact x')).toBe('exact x')
    expect(cleanOf(null)('exact x')).toBe('exact x')
  })
})
