import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readToml, tomlText } from './toml.ts'

const key = fc.stringMatching(/^[\w-]{1,12}$/)

it('what is written is read again', () => {
  const keys = fc.dictionary(key, fc.string({ unit: 'binary', maxLength: 20 }), { minKeys: 1, maxKeys: 3 })
  const sections = fc.dictionary(key, keys, { maxKeys: 3 })
  fc.assert(
    fc.property(sections, (written) => {
      expect(readToml(tomlText('For a test.', written), 'x')).toEqual({ '': {}, ...written })
    }),
  )
})

it('reads what people write by hand', () => {
  const text = '# mine\n app = "acme" # the one\n\n[ profiles.work ]\r\nhost = "https://a.example"\n'
  expect(readToml(text, 'x')).toEqual({ '': { app: 'acme' }, 'profiles.work': { host: 'https://a.example' } })
})

it('passes nothing over that it does not know', () => {
  for (const line of ['app = acme', 'a.b = "c"', '[a', 'n = 1', "s = 'x'", 'l = ["x"]', 'x = "\\q"']) {
    expect(() => readToml(`\n${line}\n`, 'config.toml'), line).toThrow(/^config\.toml, line 2: /)
  }
})
