import { expect, it } from 'vitest'
import { ownSearchesOf } from './models-that-search-by-themselves.ts'

it.each(['groq/compound', 'compound-beta', 'sonar-deep-research'])(
  'model %s decides by itself how often it searches',
  (model) => {
    const isCompound = model.includes('compound')
    expect(ownSearchesOf(model)).toEqual({
      isSingle: false,
      usesMax: isCompound ? 10 : null,
      isPricedBySize: !isCompound,
    })
  },
)

it.each([
  'groq/compound-mini',
  'compound-beta-mini',
  'sonar',
  'sonar-pro',
  'perplexity/sonar-reasoning-pro',
  'perplexity/llama-3.1-sonar-large-128k-online',
  'gpt-4o-search-preview',
  'gpt-4o-mini-search-preview-2025-03-11',
  'openai/gpt-4o-search-preview',
  'gpt-5-search-api',
  'gpt-5-search-api-2025-10-14',
  'openai/gpt-5:online',
  'meta-llama/llama-3.3:free:online',
])('model %s searches exactly once for each request', (model) => {
  expect(ownSearchesOf(model)).toEqual({
    isSingle: true,
    usesMax: null,
    isPricedBySize: model.includes('sonar'),
  })
})

it.each(['gpt-5', 'relace/relace-search', 'dolphin-sonarqube', 'my-compound', 'openai/gpt-5:free', 'online'])(
  'model %s does not search by itself',
  (model) => {
    expect(ownSearchesOf(model)).toBeNull()
  },
)
