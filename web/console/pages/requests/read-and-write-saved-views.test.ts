import { expect, it } from 'vitest'
import { isSameView, readViews, withView } from './read-and-write-saved-views.ts'

const kept = (text: string | null) => readViews({ getItem: () => text })

it('stored views are read, and invalid views are ignored', () => {
  const view = { name: 'refused', values: { answer: '4xx' } }
  expect(kept(JSON.stringify([view, { name: 1 }, null, { name: 'x', values: { a: 1 } }]))).toEqual([view])
  expect(kept('{')).toEqual([])
  expect(kept('{}')).toEqual([])
  expect(kept(null)).toEqual([])
})

it('views are sorted by name, and a view replaces another view of the same name', () => {
  const views = withView(withView([], { name: 'b', values: {} }), { name: 'a', values: {} })
  expect(withView(views, { name: 'b', values: { user: 'ada' } })).toEqual([
    { name: 'a', values: {} },
    { name: 'b', values: { user: 'ada' } },
  ])
})

it('a view is recognized even if its filters are in another order', () => {
  expect(isSameView({ user: 'ada', key: 'k' }, { key: 'k', user: 'ada' })).toBe(true)
  expect(isSameView({ user: 'ada' }, { user: 'bo' })).toBe(false)
})
