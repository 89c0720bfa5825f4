import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '#tests/support/property-runs.ts'
import { validateRouters, type RoutersFault } from './validate-routers.ts'

/** `a: b c` leads to two routers. */
function faultOf(...lines: readonly string[]): RoutersFault | null {
  const routers = lines.map((line): [string, string[]] => {
    const [name = '', names = ''] = line.split(':')
    return [name, names.split(' ').filter((word) => word !== '')]
  })
  return validateRouters(new Map(routers))
}

describe('routers', () => {
  it('may lead to the same one by several ways, and to none', () => {
    expect(faultOf('a: b c', 'b: d', 'c: d', 'd:')).toBeNull()
    expect(faultOf('a: gone')).toBeNull()
    expect(faultOf()).toBeNull()
  })

  it('may not lead to themselves, and the path is named', () => {
    expect(faultOf('a: a')).toEqual({ kind: 'cycle', path: ['a', 'a'] })
    expect(faultOf('a: c b', 'b: a', 'c:')).toEqual({ kind: 'cycle', path: ['a', 'b', 'a'] })
    expect(faultOf('x: a', 'a: b', 'b: c', 'c: b')).toEqual({ kind: 'cycle', path: ['b', 'c', 'b'] })
    const circle = Array.from({ length: 100 }, (_, at) => `r${at}: r${(at + 1) % 100}`)
    expect(faultOf(...circle)).toMatchObject({ kind: 'cycle' })
  })

  it('may stand four in a row, however they are listed', () => {
    expect(faultOf('a: b', 'b: c', 'c: d', 'd:')).toBeNull()
    const path = ['a', 'b', 'c', 'd', 'e']
    expect(faultOf('a: b', 'b: c', 'c: d', 'd: e', 'e:')).toEqual({ kind: 'too_deep', path })
    expect(faultOf('e:', 'd: e', 'c: d', 'b: c e', 'a: e b')).toEqual({ kind: 'too_deep', path })
  })

  it('may lead to 32 others, counted by every way', () => {
    expect(faultOf(`a:${' x'.repeat(32)}`, 'x:')).toBeNull()
    expect(faultOf(`a:${' x'.repeat(33)}`, 'x:')).toEqual({ kind: 'too_many', path: ['a'], routers: 33 })
    expect(faultOf('a: b b b b b', 'b: c c c c c c', 'c:')).toMatchObject({ path: ['a'], routers: 35 })
  })

  it('are examined once each, however many ways there are', () => {
    const wide = ' b'.repeat(60)
    const started = process.cpuUsage()
    expect(
      faultOf(`a:${wide}`, `b:${wide.replaceAll('b', 'c')}`, `c:${wide.replaceAll('b', 'd')}`, 'd:'),
    ).toEqual({
      kind: 'too_many',
      path: ['c'],
      routers: 60,
    })
    expect(process.cpuUsage(started).user).toBeLessThan(500_000)
  })
})

it('what has no fault can be walked to its end, and what has one shows it: 10,000 runs', () => {
  const seen: Record<string, number> = {}
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.tuple(fc.constantFrom(...names), fc.array(fc.nat(), { minLength: 1, maxLength: 3 })),
        {
          selector: ([name]) => name,
          minLength: 3,
          maxLength: 7,
        },
      ),
      fc.boolean(),
      (definitions, isDownward) => {
        // Downward only, there is no cycle, and rows are long.
        const routers = new Map(
          definitions.map(([name, targets]): [string, string[]] => {
            const from = isDownward ? names.indexOf(name) + 1 : 0
            const among = names.slice(from)
            return [name, targets.flatMap((target) => among[target % among.length] ?? [])]
          }),
        )
        const fault = validateRouters(routers)
        seen[fault?.kind ?? 'none'] = (seen[fault?.kind ?? 'none'] ?? 0) + 1
        if (fault === null) {
          // Without an end it would not come back.
          const depth = (name: string): number => 1 + Math.max(0, ...(routers.get(name) ?? []).map(depth))
          for (const name of routers.keys()) expect(depth(name)).toBeLessThanOrEqual(4)
          return
        }
        for (const [at, name] of fault.path.slice(0, -1).entries())
          expect(routers.get(name)).toContain(fault.path[at + 1])
        if (fault.kind === 'cycle') expect(fault.path.at(-1)).toBe(fault.path[0])
        if (fault.kind === 'too_deep') expect(fault.path).toHaveLength(5)
        if (fault.kind === 'cycle') expect(isDownward).toBe(false)
      },
    ),
    propertyRuns(10_000),
  )
  for (const kind of ['none', 'cycle', 'too_deep']) expect(seen[kind]).toBeGreaterThan(200)
})
