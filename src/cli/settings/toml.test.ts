import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readToml, tomlText } from './toml.ts'

const key = fc.stringMatching(/^[\w-]{1,12}$/)

it('reads back the TOML that it writes', () => {
  const keys = fc.dictionary(key, fc.string({ unit: 'binary', maxLength: 20 }), { minKeys: 1, maxKeys: 3 })
  const sections = fc.dictionary(key, keys, { maxKeys: 3 })
  fc.assert(
    fc.property(sections, (written) => {
      expect(readToml(tomlText('For a test.', written), 'x')).toEqual({ '': {}, ...written })
    }),
  )
})

it('accepts section and key names that every object has, such as __proto__', () => {
  const read = readToml('[__proto__]\nhost = "a"\n[constructor]\n__proto__ = "b"\n', 'x')
  expect(Object.entries(read).map(([section, keys]) => [section, Object.entries(keys)])).toEqual([
    ['', []],
    ['__proto__', [['host', 'a']]],
    ['constructor', [['__proto__', 'b']]],
  ])
  expect({}).not.toHaveProperty('host')
})

it('reads comments, spaces and line breaks of hand-written files', () => {
  const text = '# mine\n app = "acme" # the one\n\n[ profiles.work ]\r\nhost = "https://a.example"\n'
  expect(readToml(text, 'x')).toEqual({ '': { app: 'acme' }, 'profiles.work': { host: 'https://a.example' } })
})

it('rejects unsupported syntax with its line', () => {
  for (const line of ['app = acme', 'a.b = "c"', '[a', 'n = 1', "s = 'x'", 'l = ["x"]', 'x = "\\q"']) {
    expect(() => readToml(`\n${line}\n`, 'config.toml'), line).toThrow(/^config\.toml, line 2: /)
  }
})
