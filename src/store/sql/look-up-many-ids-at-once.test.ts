import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { lookUps } from './look-up-many-ids-at-once.ts'

function counted() {
  const loads: (readonly [string, readonly string[]])[] = []
  const find = lookUps(async (scope: string, ids) => {
    loads.push([scope, ids])
    await turn()
    return new Map(ids.filter((id) => id !== 'unknown').map((id) => [id, `${id} in ${scope}`]))
  })
  return { find, loads }
}

test('look-ups of several rows share one load, which contains each ID once', async () => {
  const { find, loads } = counted()
  const found = await Promise.all(['a', 'b', 'a', 'unknown'].map((id) => find('one', id)))
  expect(found).toEqual(['a in one', 'b in one', 'a in one', undefined])
  expect(loads).toEqual([['one', ['a', 'b', 'unknown']]])
})

test('look-ups in different scopes are loaded separately', async () => {
  const { find, loads } = counted()
  expect(await Promise.all([find('one', 'a'), find('other', 'a')])).toEqual(['a in one', 'a in other'])
  expect(loads).toEqual([
    ['one', ['a']],
    ['other', ['a']],
  ])
})

test('look-ups that begin in one turn of the event loop share one load, even if promises resolve between them', async () => {
  const { find, loads } = counted()
  const after = async (steps: number): Promise<unknown> => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (let step = 0; step < steps; step++) await Promise.resolve()
    return find('one', String(steps))
  }
  await Promise.all([after(0), after(1), after(5)])
  expect(loads).toEqual([['one', ['0', '1', '5']]])
})

test('a look-up that begins during a load waits for a later load, which may find a newer row', async () => {
  const { find, loads } = counted()
  const first = find('one', 'a')
  await turn()
  expect(await Promise.all([first, find('one', 'a')])).toEqual(['a in one', 'a in one'])
  expect(loads).toEqual([
    ['one', ['a']],
    ['one', ['a']],
  ])
})

test('if a load fails, each of its look-ups fails, and the next look-up loads again', async () => {
  let isAway = true
  const find = lookUps(async (_, ids) => {
    if (isAway) throw new Error('away')
    return new Map(ids.map((id) => [id, id]))
  })
  const failed = await Promise.allSettled([find('', 'a'), find('', 'b')])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await find('', 'a')).toBe('a')
})
