import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '#tests/support/any-character.ts'
import { readToml, tomlText } from './toml.ts'

const key = fc.stringMatching(/^[\w-]{1,12}$/)

it('TOML that the command line has written is read back unchanged', () => {
  const keys = fc.dictionary(key, fc.string({ unit: anyCharacter, maxLength: 20 }), {
    minKeys: 1,
    maxKeys: 3,
  })
  const sections = fc.dictionary(key, keys, { maxKeys: 3 })
  fc.assert(
    fc.property(sections, (written) => {
      expect(readToml(tomlText('For a test.', written), 'x')).toEqual({ '': {}, ...written })
    }),
  )
})

it('sections and keys may have names of built-in object properties, such as __proto__', () => {
  const read = readToml('[__proto__]\nhost = "a"\n[constructor]\n__proto__ = "b"\n', 'x')
  expect(Object.entries(read).map(([section, keys]) => [section, Object.entries(keys)])).toEqual([
    ['', []],
    ['__proto__', [['host', 'a']]],
    ['constructor', [['__proto__', 'b']]],
  ])
  expect({}).not.toHaveProperty('host')
})

it('comments, spaces and line breaks in hand-written files are accepted', () => {
  const text = '# mine\n app = "acme" # the one\n\n[ profiles.work ]\r\nhost = "https://a.example"\n'
  expect(readToml(text, 'x')).toEqual({ '': { app: 'acme' }, 'profiles.work': { host: 'https://a.example' } })
})

it('unsupported syntax is rejected with its line number', () => {
  for (const line of ['app = acme', 'a.b = "c"', '[a', 'n = 1', "s = 'x'", 'l = ["x"]', 'x = "\\q"']) {
    expect(() => readToml(`\n${line}\n`, 'config.toml'), line).toThrow(/^config\.toml, line 2: /)
  }
})
