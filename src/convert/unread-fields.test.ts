import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { knownFields, unreadFields } from './unread-fields.ts'

const known = knownFields(`
  turns: role parts
  turns.parts(text|): type text
  turns.parts(image).source: url
  turns.parts(result): type mode=plain|fast
  turns.parts(result).parts = turns.parts
  settings: depth *
  settings.inner: a
`)

const unread = (body: Record<string, unknown>, isEitherSpelling = false): readonly string[] => [
  ...unreadFields(body, known, isEitherSpelling),
]

describe('unreadFields', () => {
  it('fields that are not listed are returned once, by their path without positions', () => {
    const parts = [{ type: 'text', text: 'a', x: 1 }, { text: 'b', x: 2, y: true }, 'c', 5]
    expect(
      unread({
        turns: [
          { role: 'user', parts },
          { parts: parts[0], z: 'z' },
        ],
      }),
    ).toEqual(['turns.parts.x', 'turns.parts.y', 'turns.z'])
  })

  it('null, false and empty values state nothing', () => {
    expect(unread({ turns: [{ a: null, b: false, c: [], d: {}, e: '' }] })).toEqual([])
    expect(unread({ turns: [{ a: 0, b: true, c: [0], d: { e: null } }] })).toEqual([
      'turns.a',
      'turns.b',
      'turns.c',
      'turns.d',
    ])
  })

  it('the type of an object decides which fields are known, and other types are not examined', () => {
    const parts = [
      { type: 'image', source: { url: 'u', x: 1 } },
      { type: 'other', source: { x: 1 } },
    ]
    expect(unread({ turns: [{ parts }] })).toEqual(['turns.parts.type', 'turns.parts.source.x'])
  })

  it('listed values are known, also as the type of an object', () => {
    const modes = ['plain', 'FAST', { type: 'plain', id: 1 }]
    for (const mode of modes) expect(unread({ turns: { parts: { type: 'result', mode } } })).toEqual([])
    for (const mode of ['slow', { type: 'slow' }, 5])
      expect(unread({ turns: { parts: { type: 'result', mode } } })).toEqual(['turns.parts.mode'])
  })

  it('a path can have the fields of a path above it', () => {
    const inner = { type: 'result', parts: [{ type: 'result', parts: [{ type: 'text', x: 1 }] }] }
    expect(unread({ turns: { parts: inner } })).toEqual(['turns.parts.x'])
  })

  it('fields in an object with a star are left to the reader, as are fields at the top level', () => {
    expect(unread({ other: { x: 1 }, settings: { x: 1, inner: { a: 1, b: 1 } } })).toEqual([
      'settings.inner.b',
    ])
  })

  it('names with underscores are read in either spelling', () => {
    const fields = knownFields('config.levelOf: one')
    const body = { config: { level_of: { one: 1, other_one: 1 } } }
    expect([...unreadFields(body, fields, true)]).toEqual(['config.levelOf.otherOne'])
    expect([...unreadFields(body, fields)]).toEqual(['config.level_of'])
  })

  it('at most 100 names are returned, and long names are shortened', () => {
    const many = Object.fromEntries(Array.from({ length: 140_000 }, (_, i) => [`${'x'.repeat(200)}${i}`, 1]))
    withinCpu(2000, () => {
      expect(unread({ turns: { [`y${'x'.repeat(200)}`]: 1 } })).toEqual([`turns.y${'x'.repeat(63)}`])
      expect(
        unread({ turns: Object.fromEntries(Object.keys(many).map((_, i) => [`n${i}`, 1])) }),
      ).toHaveLength(100)
      expect(unread({ turns: [many] })).toHaveLength(1)
    })
  })
})
