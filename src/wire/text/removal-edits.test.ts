import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { parseJson } from './json-parser.ts'
import { after, inside, kindOf, kinds, valueOf } from './json-tape.ts'
import { removals } from './removal-edits.ts'
import { splice } from './apply-edits.ts'

it('any entries of a list or an object can be removed, and the result is valid JSON with all other entries', () => {
  const space = fc.constantFrom('', ' ', '\n\t')
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.tuple(fc.boolean(), space, space, space), { maxLength: 8 }),
      (isObject, entries) => {
        const texts = entries.map(([, before, middle, behind], i) =>
          isObject ? `${before}"k${i}"${middle}:${middle}[${i}]${behind}` : `${before}[${i}]${behind}`,
        )
        const text = isObject ? `{${texts.join(',')}}` : `[${texts.join(',')}]`
        const json = parseJson(text)
        if ('reason' in json) throw new Error(json.reason)
        const gone: number[] = []
        let i = 0
        for (let entry = inside(0); entry < after(json, 0); i++) {
          if (entries[i]?.[0] === true) gone.push(entry)
          entry = after(json, kindOf(json, 0) === kinds.object ? valueOf(entry) : entry)
        }
        const left: unknown = JSON.parse(splice(text, removals(json, 0, gone)))
        const kept = entries.flatMap(([isGone], at) => (isGone ? [] : [at]))
        expect(left).toEqual(
          isObject ? Object.fromEntries(kept.map((at) => [`k${at}`, [at]])) : kept.map((at) => [at]),
        )
      },
    ),
    sampledRuns(2000),
  )
})
