import { describe, expect, it } from 'vitest'
import { inputOfCall } from './operation-input.ts'

describe('the input of a call that the API proposes', () => {
  it('the input of a proposed call has the path parameters and the body', () => {
    const operation = { path: '/v1/bundles/{slug}/allow' }
    const call = { path: '/v1/bundles/free/allow', body: { models: ['*'] } }
    expect(inputOfCall(operation, call)).toEqual({ slug: 'free', models: ['*'] })
  })

  it('the input of a proposed call accepts a name with slashes, plain or encoded', () => {
    const operation = { path: '/v1/models/{name}/enable' }
    expect(inputOfCall(operation, { path: '/v1/models/acme/fast/enable', body: null })).toEqual({
      name: 'acme/fast',
    })
    expect(inputOfCall(operation, { path: '/v1/models/acme%2Ffast/enable', body: null })).toEqual({
      name: 'acme/fast',
    })
  })

  it('the input of a proposed call has the query parameters', () => {
    expect(inputOfCall({ path: '/v1/keys' }, { path: '/v1/keys?endUserId=a%26b', body: null })).toEqual({
      endUserId: 'a&b',
    })
  })
})
