import { expect, it } from 'vitest'
import { randomFrom, seedOfRun } from '#tests/support/seeded-random.ts'
import { topMembers } from './find-top-level-members.ts'

it('topMembers returns the members that JSON.parse finds, and their positions', () => {
  const text = ' { "a" : [1,"]",{"b":"\\"}"}] ,"\\u0062":-1.5e3, "c":"x\\\\" , "d":null,"e":{} } '
  const members = topMembers(text)
  expect(members?.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
  const parsed = JSON.parse(text)
  for (const { end, name, start } of members ?? [])
    expect(JSON.parse(text.slice(start, end))).toEqual(parsed[name])
  expect(topMembers('{}')).toEqual([])
})

it('topMembers returns null for a text that is not a complete object', () => {
  const text = '{"data":[{"embedding":[1,2],"x":"]"}],"usage":{"n":1}}'
  for (let end = 0; end < text.length; end++) expect(topMembers(text.slice(0, end))).toBeNull()
  for (const other of ['[]', '<html>', '{"a" 1}', '{"a":1,}', '{"a":}', '{a:1}', '{} {}', '{"a":1}}', ''])
    expect([other, topMembers(other)]).toEqual([other, null])
})

const seed = seedOfRun()
it(`topMembers agrees with JSON.parse on generated objects (seed ${seed})`, () => {
  const random = randomFrom(seed)
  const valueOf = (depth: number): unknown => {
    const kind = random.pick(['text', 'number', 'null', 'list', 'object'] as const)
    if (kind === 'text') return random.pick(['', '"', '\\', '{[', ']}', 'ü, x', '\\"'])
    if (kind === 'number') return random.pick([0, -1.5, 1e21])
    if (kind === 'null' || depth > 3) return null
    const inner = [valueOf(depth + 1), valueOf(depth + 1)]
    return kind === 'list' ? inner : { '"': inner[0], b: inner[1] }
  }
  for (let run = 0; run < 500; run++) {
    const object = { a: valueOf(0), '\\"': valueOf(0), c: valueOf(0) }
    const text = JSON.stringify(object, null, random.pick([0, 1]))
    const found = topMembers(text)?.map(({ end, name, start }) => [name, JSON.parse(text.slice(start, end))])
    expect(found).toEqual(Object.entries(object))
  }
})
