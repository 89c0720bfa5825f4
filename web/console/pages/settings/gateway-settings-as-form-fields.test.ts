import { expect, it } from 'vitest'
import type { Gateway } from '#sdk/generated/types.ts'
import { faultsOf, inputOf, valuesOf } from './gateway-settings-as-form-fields.ts'

const tasks = [
  'embeddings',
  'embed_content',
  'batch_embed_contents',
  'invoke_embeddings',
  'cohere_embed',
  'moderations',
  'completions',
  'rerank',
  'images',
  'image_edits',
  'speech',
  'transcriptions',
  'translations',
  'compact',
]

const open: Gateway = {
  application: 'acme',
  gateway: 'http://acme.gateway.localhost:8080',
  hosts: ['acme.gateway.localhost:8080'],
  wires: null,
  models: null,
  origins: [],
  addresses: null,
  hours: null,
  defaultMaxTokens: null,
  holdWaitMs: null,
  filesMax: null,
  fileBytesMax: null,
  storagePrefixes: [],
  limits: [],
  limitUses: [],
  providerTools: 'drop',
  conversion: 'lenient',
  passTraceparent: false,
}

it('only changed gateway settings are sent', () => {
  expect(inputOf(valuesOf(open), open)).toEqual({})
  const narrow: Gateway = {
    ...open,
    wires: ['chat'],
    models: ['acme/*'],
    origins: ['https://app.example.com'],
    addresses: ['192.0.2.0/24'],
    hours: [{ days: ['mon'], from: '08:00', until: '18:00' }],
    defaultMaxTokens: 100,
    holdWaitMs: 0,
    filesMax: 0,
    fileBytesMax: 5,
    storagePrefixes: ['gs://acme-manuals/'],
  }
  expect(inputOf(valuesOf(narrow), narrow)).toEqual({})
  const cleared = { ...valuesOf(open), providerTools: 'refuse' }
  expect(inputOf(cleared, narrow)).toEqual({
    wires: null,
    models: null,
    origins: [],
    addresses: null,
    hours: null,
    defaultMaxTokens: null,
    holdWaitMs: null,
    filesMax: null,
    fileBytesMax: null,
    storagePrefixes: [],
    providerTools: 'refuse',
  })
})

it('lists of gateway settings are split at lines and commas, without duplicates', () => {
  const values = { ...valuesOf(open), models: 'a, b\n\n b ', generate: false }
  expect(inputOf(values, open)).toEqual({
    models: ['a', 'b'],
    wires: ['chat', 'responses', 'messages', 'converse', 'cohere', ...tasks],
  })
})

it('invalid gateway settings are rejected', () => {
  const none = valuesOf({ ...open, wires: [] })
  expect(Object.keys(faultsOf(none))).toEqual(['chat'])
  expect(Object.keys(faultsOf({ ...valuesOf(open), holdWaitMs: '60001' }))).toEqual(['holdWaitMs'])
  expect(faultsOf({ ...valuesOf(open), holdWaitMs: '60000', defaultMaxTokens: '1' })).toEqual({})
  expect(Object.keys(faultsOf({ ...valuesOf(open), filesMax: '10001', fileBytesMax: '-1' }))).toEqual([
    'filesMax',
    'fileBytesMax',
  ])
  expect(Object.keys(faultsOf({ ...valuesOf(open), defaultMaxTokens: '0' }))).toEqual(['defaultMaxTokens'])
  const dayless = JSON.stringify([{ days: [], from: '08:00', until: '18:00' }])
  expect(Object.keys(faultsOf({ ...valuesOf(open), hours: dayless }))).toEqual(['hours'])
})
