import { describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { routeTable } from './route-table.ts'

const routes = routeTable(operations)

function found(method: string, path: string): [string, object] | string {
  const route = routes.find(method, path)
  return route.kind === 'found' ? [route.operation.id, route.parameters] : route.kind
}

describe('the table of routes', () => {
  it('if several paths match, the path with the most literal segments is used', () => {
    expect(found('GET', '/v1/apps/current')).toEqual(['apps.current', {}])
    expect(found('GET', '/v1/apps/currents')).toEqual(['apps.show', { slug: 'currents' }])
    expect(found('POST', '/v1/apps/current/use')).toEqual(['apps.use', { slug: 'current' }])
  })

  it('a parameter for a model name matches all remaining segments, which are decoded once', () => {
    expect(found('GET', '/v1/models/a/b/c')).toEqual(['models.show', { name: 'a/b/c' }])
    expect(found('GET', '/v1/models/a%2Fb')).toEqual(['models.show', { name: 'a/b' }])
    expect(found('GET', '/v1/models/a%252Fb')).toEqual(['models.show', { name: 'a%2Fb' }])
    expect(found('POST', '/v1/models/a/b/enable')).toEqual(['models.enable', { name: 'a/b' }])
    expect(found('POST', '/v1/models/a%2Fenable/enable')).toEqual(['models.enable', { name: 'a/enable' }])
    expect(found('PUT', '/v1/models/a/enable')).toEqual(['models.add', { name: 'a/enable' }])
  })

  it('every other parameter matches exactly one non-empty segment', () => {
    expect(found('GET', '/v1/keys/a%2Fb')).toEqual(['keys.show', { id: 'a/b' }])
    expect(found('GET', '/v1/keys/a/b')).toBe('unknown')
    expect(found('GET', '/v1/keys/')).toBe('unknown')
    expect(found('GET', '/v1/models/')).toBe('unknown')
    expect(found('GET', '/v1/models/a//b')).toBe('unknown')
    expect(found('POST', '/v1/outcomes/a/runs/b%2Fc/finish')).toEqual([
      'outcomes.finish',
      { slug: 'a', id: 'b/c' },
    ])
  })

  it('the table distinguishes a wrong method, a wrong path, and a path that cannot be decoded', () => {
    expect(routes.find('POST', '/v1/apps/x')).toEqual({
      kind: 'other_method',
      allowed: ['DELETE', 'GET', 'HEAD', 'PUT'],
    })
    expect(found('GET', '/v2/apps')).toBe('unknown')
    expect(found('GET', '/v1/%61pps')).toBe('unknown')
    expect(routes.find('GET', '/v1/keys/%ff')).toEqual({ kind: 'malformed', parameter: 'id' })
  })
})
